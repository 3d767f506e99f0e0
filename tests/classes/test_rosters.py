"""Lists of people as learning platforms, spreadsheets and people write them."""

import codecs
from io import BytesIO
from zipfile import ZipFile

import pytest
from openpyxl import Workbook

from classes import roster_files, rosters
from classes.errors import Unreadable
from classes.limits import MAX_LABEL_LENGTH, MAX_SECTION_LENGTH
from classes.people.presenters import ENCODINGS, encoding_note
from classes.roster_files import old_encoding
from classes.rosters import MAX_LINES, read_file, read_pasted

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Quiz 1 (87568),Current Score
    Points Possible,,,,,10.00,(read only)
"Muster, Maria",101,s1001,maria@uni.example,Section 1,7,70
"van der Berg, Jan",102,s1002,JAN@uni.example,"Section 1 and Section 2",,
"Student, Test",999,,0a1b2c,Section 1,,
"""
MOODLE = """\
"First name",Surname,"Email address",Groups
Maria,Muster,maria@uni.example,"Group A"
Jan,"van der Berg",jan@uni.example,
"""


def people_in(text, **more):
    content = text if isinstance(text, bytes) else text.encode()
    return [(line.address, line.name) for line in read_file(content, **more) if not line.problem]


def problems_in(content):
    return [line.problem for line in read_file(content.encode())]


def test_a_gradebook_of_canvas_as_it_comes():
    lines = read_file(CANVAS.encode())
    assert [line.problem for line in lines] == [rosters.NO_PERSON, "", "", rosters.NO_PERSON]
    maria, jan = lines[1:3]
    assert (maria.address, maria.name) == ("maria@uni.example", "Maria Muster")
    assert maria.section == "Section 1"
    assert (jan.address, jan.name, jan.number) == ("jan@uni.example", "Jan van der Berg", 4)


def test_the_participants_of_moodle_as_they_come():
    maria, jan = read_file(MOODLE.encode())
    assert (maria.address, maria.name) == ("maria@uni.example", "Maria Muster")
    assert (maria.sorts_as, maria.section) == ("Muster, Maria", "Group A")
    assert (jan.name, jan.section, jan.problem) == ("Jan van der Berg", "", "")


def test_moodle_in_german_with_what_excel_makes_of_it():
    text = "Vorname;Nachname;E-Mail-Adresse;Gruppen\r\nJörg;Müller;joerg@uni.example;Grüne\r\n"
    for content in (text.encode("cp1252"), codecs.BOM_UTF8 + text.encode()):
        (line,) = read_file(content)
        assert (line.name, line.section) == ("Jörg Müller", "Grüne")


def test_any_usual_separator_and_end_of_line(subtests):
    for newline in ["\n", "\r\n", "\r"]:
        for separator in [",", ";", "\t", "|"]:
            with subtests.test(separator=separator, newline=newline):
                rows = (("Name", "Email"), ("Ada", "ada@x.org"), ("Bo", "bo@x.org"))
                text = newline.join(separator.join(row) for row in rows)
                assert people_in(text) == [("ada@x.org", "Ada"), ("bo@x.org", "Bo")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_any_usual_encoding(encoding):
    assert people_in("Name,Email\nZoë,zoe@x.org\n".encode(encoding)) == [("zoe@x.org", "Zoë")]


@pytest.mark.parametrize("encoding", ["mac_roman", "cp1252"])
def test_a_guessed_encoding_is_right_and_named_with_a_name_to_check_it_by(encoding):
    content = "Name,Email\nÉlodie Müller,e@x.org\nAndré Ñuñez,a@x.org\n".encode(encoding)
    lines = read_file(content)
    assert [line.name for line in lines] == ["Élodie Müller", "André Ñuñez"]
    note = encoding_note(old_encoding(content), lines)
    assert ENCODINGS[encoding] in note
    assert "Élodie Müller" in note
    assert not encoding_note(old_encoding("Name,Email\nÉ,e@x.org".encode()), lines)


def workbook(rows):
    book = Workbook()
    for row in rows:
        book.active.append(row)
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def test_a_workbook_is_read_like_a_file():
    rows = [["Student", "ID", "SIS Login ID", "Section"], [], ["Ash, Ann", 101, "ann@x.org", "A"]]
    (line,) = read_file(workbook(rows))
    assert (line.number, line.address, line.name) == (3, "ann@x.org", "Ann Ash")
    assert line.platform == {"ID": "101", "SIS Login ID": "ann@x.org", "Section": "A"}


def test_a_workbook_of_many_lines_or_that_unpacks_to_too_much_is_refused(monkeypatch):
    with pytest.raises(Unreadable, match="at most 5000 lines"):
        read_file(workbook([["Email"], *([f"{n}@x.org"] for n in range(MAX_LINES + 30))]))
    monkeypatch.setattr(roster_files, "MAX_UNPACKED", 3_000)
    with pytest.raises(Unreadable, match="too large"):
        read_file(workbook([["Email"], ["a@x.org"]]))


def test_entities_of_a_workbook_are_not_expanded():
    packed, bomb = BytesIO(workbook([["Email"], ["a@x.org"]])), BytesIO()
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 20 if n else "lol"}">' for n in range(9))
    with ZipFile(packed) as old, ZipFile(bomb, "w") as new:
        for name in old.namelist():
            content = old.read(name).decode()
            if name.endswith("sheet1.xml"):
                content = f"<!DOCTYPE x [{entities}]>" + content.replace(
                    "<sheetData>", "<sheetData>&e8;"
                )
            new.writestr(name, content)
    with pytest.raises(Unreadable, match="can’t be read"):
        read_file(bomb.getvalue())


def test_a_spreadsheet_may_say_which_separator_it_used():
    assert people_in("sep=;\nName;Email\nA,B;ab@x.org") == [("ab@x.org", "A,B")]


def test_without_heads_the_column_with_addresses_is_found():
    assert people_in("Ada Lovelace,ada@x.org\nBo,bo@x.org")[0] == ("ada@x.org", "Ada Lovelace")
    assert people_in("ada@x.org\n\nbo@x.org\n") == [("ada@x.org", ""), ("bo@x.org", "")]


def test_addresses_are_kept_in_lower_case_and_each_counts_once():
    lines = read_file(b"Email\nAda@X.org\nada@x.ORG\n<bo@x.org>\nmailto:Cy@x.org\n")
    addresses = [line.address for line in lines if not line.problem]
    assert addresses == ["ada@x.org", "bo@x.org", "cy@x.org"]
    assert lines[1].problem == rosters.TWICE
    pasted = read_pasted("Ada@X.org, ada@x.ORG")
    assert [line.problem for line in pasted] == ["", rosters.TWICE]


@pytest.mark.parametrize(
    "cell",
    ['"=HYPERLINK(""http://evil.example"",""ada@x.org"")"', "=cmd|' /C calc'!A0"]
    + ["+ada", "@SUM(1+1)*cmd"],
)
def test_a_formula_is_no_address(cell):
    assert problems_in(f"Email,Name\n{cell},Ada") == [rosters.FORMULA]


def test_a_formula_in_a_name_is_text():
    text = 'Email,Name\nada@x.org,"=HYPERLINK(""http://evil.example"", ""x"")"'
    (line,) = read_file(text.encode())
    assert line.name == '=HYPERLINK("http://evil.example", "x")'


def test_digits_that_a_spreadsheet_was_told_to_leave_as_text():
    assert people_in('Email,Name\n"=""ada@x.org""",Ada') == [("ada@x.org", "Ada")]


@pytest.mark.parametrize(
    ("cell", "problem"),
    [("", rosters.NO_ADDRESS)]
    + [(cell, rosters.BAD_ADDRESS) for cell in ("ada", "ada@", "a b@x.org")]
    + [("a" * 250 + "@x.org", rosters.BAD_ADDRESS)],
)
def test_what_is_no_address_is_told_with_its_line(cell, problem):
    assert problems_in(f"Name,Email\nAda,{cell}") == [problem]


def test_log_in_names_become_addresses_where_one_says_what_follows_the_at():
    text = "Student,ID,SIS Login ID,Section\nAda,1,al123,A\n"
    assert problems_in(text) == [rosters.LOG_IN_NAME]
    assert people_in(text, domain="uni.example") == [("al123@uni.example", "Ada")]


def test_what_is_too_long_is_refused_by_line():
    long = "s" * (MAX_SECTION_LENGTH + 1)
    assert problems_in(f"Email,Section\na@x.org,{long}") == [rosters.LONG_SECTION]
    long = "l" * (MAX_LABEL_LENGTH + 1)
    assert problems_in(f"Email,Labels\na@x.org,{long}") == [rosters.LONG_LABEL]


def test_labels_are_told_apart_whatever_stands_between_them():
    (line,) = read_file(b'Email,Labels\na@x.org,"extra time; Lab 1,extra  TIME"')
    assert line.labels == ("extra TIME", "Lab 1")


def test_what_is_no_list_says_so(subtests):
    for content in [
        b"PK\x03\x04 a workbook",
        b"\x00\x01\x02\x03",
        b"",
        b"   \n\n",
        b"Name,Phone\nAda,123",
        b"Email\n",
        b'Email,Name\na@x.org,"Ada\nb@x.org,Bo\n',
        b"\xff\xfe\x00",
        "Email\n".encode("utf-16"),
        b"Email,Name\na@x.org," + b"x" * 200_000,
    ]:
        with subtests.test(content=content):
            with pytest.raises(Unreadable) as caught:
                read_file(content)
            assert str(caught.value).endswith(".")


def test_a_list_that_is_too_long_says_how_long_it_is():
    lines = "".join(f"{number}@x.org\n" for number in range(100_000))
    with pytest.raises(Unreadable, match=r"at most 5000 lines\. This one has 100001"):
        read_file(f"Email\n{lines}".encode())
    exact = "".join(f"{number}@x.org\n" for number in range(MAX_LINES + 1))
    with pytest.raises(Unreadable, match="has 5001"):
        read_file(f"Email\n{exact}".encode())
    with pytest.raises(Unreadable, match="has 5001"):
        read_pasted(exact)


def test_what_cannot_be_seen_is_left_out():
    (line,) = read_file("Email,Name\na@x.org,A\u202eda\u0007  L\n".encode())
    assert line.name == "Ada L"
