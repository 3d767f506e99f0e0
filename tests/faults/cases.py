"""Every fault that the service survives, its promise, and the tests that try it.

A test is named by its file below tests/ and its name, and includes all of its parameters.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """A fault, the promise about it, and the tests that try it."""

    number: int
    done: str
    promised: str
    tests: tuple[str, ...]


SERVERS = "faults/test_servers.py::"
SITE = "faults/test_whole_site.py::"
NOTIFIER = "quizzes/marking/test_notifier.py::"
WORKER = "quizzes/marking/test_worker.py::"
QUEUE = "running/test_queue.py::"
GRADING = "quizzes/marking/test_grading.py::"
SWEEPING = "quizzes/marking/test_sweeping.py::"
DATABASE = "quizzes/delivery/test_database_trouble.py::"
SAVING = "quizzes/delivery/test_saving.py::"
SUBMITTING = "quizzes/delivery/test_submitting.py::"
SAVES = "quizzes/delivery/test_pages_save.py::"
STARTING = "quizzes/delivery/test_starting.py::"
EXTRA = "quizzes/delivery/test_extra_time.py::"
REGRADE = "quizzes/regrades/test_regrades.py::"
PAGES = "journeys/test_saving.py::"
CLOCK = "journeys/test_clock.py::"
ACCESS = "access/test_every_address.py::"
ENTRANCE = "accounts/test_entrance.py::"
TRANSFER = "lessons/authoring/test_transfer.py::"
PARSING = "attention_core/test_parse.py::"

CASES = (
    Case(
        1,
        "The broker is down when someone submits",
        "A receipt within 2 s; marked once the broker is back",
        (f"{NOTIFIER}test_submitting_gets_its_receipt_without_the_broker",),
    ),
    Case(
        2,
        "The broker is frozen",
        "As above; no request hangs",
        (
            f"{NOTIFIER}test_submitting_gets_its_receipt_without_the_broker",
            f"{QUEUE}TestWithoutABroker::test_notifying_takes_a_second_at_most",
            f"{QUEUE}TestWithoutABroker::test_a_worker_carries_on_when_a_frozen_broker_goes_on",
        ),
    ),
    Case(
        3,
        "The broker is killed and emptied while 100 wait",
        "All are marked exactly once",
        (f"{SERVERS}test_a_broker_killed_and_emptied_loses_no_answer",),
    ),
    Case(
        4,
        "The broker is full and evicts nothing",
        "Submitting succeeds, and marking goes on",
        (f"{SERVERS}test_a_full_broker_keeps_nobody_from_submitting_nor_from_marks",),
    ),
    Case(
        5,
        "The broker is restarted five times under load",
        "Workers resume",
        (f"{SERVERS}test_a_broker_restarted_five_times_under_load",),
    ),
    Case(
        6,
        "A worker is killed while marking",
        "Marked within 60 s",
        (
            f"{SERVERS}test_a_worker_that_ends_in_a_burst_loses_nothing",
            f"{WORKER}test_a_worker_killed_in_the_middle_loses_nothing",
        ),
    ),
    Case(
        7,
        "A submission kills its worker every time",
        "Five attempts at marking, then it is flagged for attention; others are marked",
        (
            f"{SWEEPING}test_a_row_that_ends_its_worker_holds_up_the_others_for_ten_seconds_at_most",
            "running/test_watch.py::test_a_process_that_is_killed_is_replaced",
            f"{GRADING}test_after_five_tries_it_needs_attention",
        ),
    ),
    Case(
        8,
        "A grader hangs",
        "Its time limit stops it; then as above",
        (f"{SWEEPING}test_a_row_that_ends_its_worker_holds_up_the_others_for_ten_seconds_at_most",),
    ),
    Case(
        9,
        "The same task message arrives ten times at once",
        "One grade per answer",
        (
            f"{WORKER}test_the_same_wake_up_ten_times_gives_one_grade_an_answer",
            f"{GRADING}test_many_graders_at_once_mark_each_answer_once",
        ),
    ),
    Case(
        10,
        "A slow grader finishes after another has marked the answer",
        "Its result is discarded",
        (f"{GRADING}test_a_grader_that_comes_late_is_discarded",),
    ),
    Case(
        11,
        "No beat process, or two",
        "No duplicates; a worker’s start, a message or the waiting page resumes it",
        (
            f"{SWEEPING}test_without_a_broker_a_worker_marks_what_waits_when_it_starts_and_what_comes",
            f"{SUBMITTING}test_sweeps_and_a_submit_at_once_make_one_submission",
            f"{NOTIFIER}test_the_page_that_waits_rings_when_the_first_ring_was_lost",
        ),
    ),
    Case(
        12,
        "Garbage, pickles and odd messages in the queue",
        "One may end a worker; another is started, nothing is lost, and waiting submissions are "
        "marked within 30 s",
        (
            "faults/test_odd_messages.py::test_what_waits_is_marked_within_half_a_minute",
            "running/test_watch.py::test_one_whose_event_loop_hangs_ends_with_its_processes",
        ),
    ),
    Case(
        13,
        "A worker is told to stop during a burst",
        "Nothing is lost",
        (f"{SERVERS}test_a_worker_that_ends_in_a_burst_loses_nothing",),
    ),
    Case(
        14,
        "A web process dies after storing a submission but before announcing it",
        "A worker finds it and marks it",
        (f"{SERVERS}test_a_lost_wake_up_costs_seconds",),
    ),
    Case(
        15,
        "Fifty save at once on SQLite",
        "No error; every acknowledged save can be read",
        (f"{SERVERS}test_all_who_save_at_once_are_acknowledged_and_kept",),
    ),
    Case(
        16,
        "The app and PostgreSQL are killed during saves",
        "Every acknowledged save survives",
        (f"{SITE}test_every_acknowledged_save_survives",),
    ),
    Case(
        17,
        "The database is read-only",
        "A 503 in plain words; never a false “saved”",
        (
            f"{DATABASE}test_a_database_that_takes_nothing_in_answers_503_everywhere",
            f"{DATABASE}test_a_database_that_takes_nothing_in_starts_nothing",
        ),
    ),
    Case(
        18,
        "A row is locked, or a connection frozen",
        "A 503 within seconds; other requests continue",
        (
            f"{DATABASE}test_a_row_that_is_locked_holds_a_web_thread_for_seconds",
            f"{DATABASE}test_a_frozen_connection_holds_a_web_thread_for_seconds",
            f"{GRADING}test_a_failure_of_the_database_is_no_try",
        ),
    ),
    Case(
        19,
        "A migration runs while attempts are open",
        "They continue",
        (f"{SITE}test_attempts_go_on_after_a_migration",),
    ),
    Case(
        20,
        "Two starts at once",
        "One attempt",
        (f"{STARTING}test_two_starts_at_once_give_one_attempt",),
    ),
    Case(
        21,
        "Submitting twice, from two tabs, or again after a time-out",
        "One submission, the same receipt",
        (
            f"{SUBMITTING}test_many_submits_at_once_make_one_submission",
            f"{SUBMITTING}test_what_a_submit_carries_counts_and_submitting_again_returns_the_same",
        ),
    ),
    Case(
        22,
        "A save after submitting",
        "A 409; the answers are unchanged",
        (f"{SAVES}test_after_submitting_a_save_gets_409_and_the_way_to_the_results",),
    ),
    Case(
        23,
        "An older save arrives late, or from another tab",
        "A 409 with what is stored; a retry gets its receipt",
        (
            f"{SAVES}test_an_older_save_gets_409_with_what_is_stored",
            f"{SAVES}test_the_same_save_again_gets_the_same_receipt",
            f"{PAGES}test_of_two_pages_the_older_never_wins_silently",
        ),
    ),
    Case(
        24,
        "A save or a submit at the deadline",
        "What arrives within the grace period counts",
        (f"{SAVES}test_within_the_grace_a_save_still_counts_and_after_it_none",),
    ),
    Case(
        25,
        "Submitting after the deadline and the grace period",
        "Drafts saved in time are marked",
        (f"{SUBMITTING}test_after_the_grace_the_drafts_count_and_the_late_content_does_not",),
    ),
    Case(
        26,
        "Someone comes back after the end",
        "Nothing can be edited",
        (f"{SAVES}test_within_the_grace_a_save_still_counts_and_after_it_none",),
    ),
    Case(
        27,
        "The browser is closed for good",
        "Closed and marked within a minute of the deadline",
        (f"{CLOCK}test_when_time_runs_out_with_the_page_closed_what_was_saved_is_marked",),
    ),
    Case(
        28,
        "The quiz closes before an attempt’s time is up",
        "The page says so before the start",
        (
            "quizzes/delivery/test_pages_quiz.py::test_a_quiz_that_closes_before_its_time_is_over_says_so",
        ),
    ),
    Case(
        29,
        "Extra time during an attempt, a wrong clock, a laptop that slept",
        "The server’s deadline counts; the timer follows it",
        (
            f"{SAVES}test_an_extension_takes_effect_within_one_save",
            f"{CLOCK}test_a_wrong_clock_of_the_browser_changes_nothing",
            f"{CLOCK}test_after_a_laptop_has_slept_the_clock_is_right_again",
            f"{EXTRA}test_it_takes_effect_in_the_middle_of_an_attempt_until_it_is_taken_back",
        ),
    ),
    Case(
        30,
        "Offline, and offline when time is up",
        "Answers are kept in the browser; the page says so and retries",
        (
            f"{PAGES}test_offline_it_says_so_and_saves_when_the_line_is_back",
            f"{PAGES}test_submitting_waits_for_what_is_not_saved",
        ),
    ),
    Case(
        31,
        "The login expires during a quiz",
        "After logging in again, nothing is lost",
        (f"{PAGES}test_a_log_in_that_ended_is_asked_for_and_nothing_is_lost",),
    ),
    Case(
        32,
        "A question, a family or a quiz is edited during an attempt",
        "The attempt keeps what it showed",
        (
            f"{STARTING}test_what_an_item_showed_survives_an_edit",
            f"{EXTRA}test_a_quiz_that_is_changed_leaves_an_attempt_the_time_it_began_with",
        ),
    ),
    Case(
        33,
        "Two instructors change one grade",
        "The second is refused and shown what has changed",
        (
            f"{REGRADE}test_a_dry_run_is_refused_once_a_mark_has_changed",
            f"{REGRADE}test_the_same_draft_is_accepted_once_and_another_waits_for_it",
        ),
    ),
    Case(
        34,
        "Every address × every role × someone else’s attempt",
        "404 or 403",
        (f"{ACCESS}test_each_role_gets_as_far_as_the_tables_say",),
    ),
    Case(
        35,
        "Before the release",
        "No key, solution, seed or other variant anywhere",
        (
            f"{ACCESS}test_nothing_that_a_student_can_fetch_tells_of_an_exam_before_its_release",
            "quizzes/delivery/test_leaks.py::test_no_page_tells_a_mark_or_a_solution_before_the_release",
        ),
    ),
    Case(
        36,
        "A score, deadline, seed or student is posted",
        "They are ignored or refused",
        (f"{SAVES}test_what_is_no_save_is_refused_with_a_sentence",),
    ),
    Case(
        37,
        "Guessing numbers",
        "Each variant belongs to one student and comes from a secret seed",
        (
            "quizzes/delivery/test_stocking.py::test_all_who_start_at_once_are_given_numbers_of_their_own",
        ),
    ),
    Case(
        38,
        "Scripts in Markdown, LaTeX, names, file names",
        "They are inert",
        (
            "lessons/markdown/test_sanitising.py::test_attacks_are_inert",
            "lessons/markdown/test_attacks.py::test_a_trick_is_inert_on_the_page",
        ),
    ),
    Case(
        39,
        "CSV cells that a spreadsheet would run",
        "They are neutralised",
        (
            "foundation/test_spreadsheets.py::test_no_cell_of_a_csv_file_begins_like_a_formula",
            "classes/gradebook/test_gradebook.py::test_nobody_s_name_runs_in_a_file",
        ),
    ),
    Case(
        40,
        "Zip files with outside paths, bombs or links",
        "They are refused",
        (
            f"{TRANSFER}test_a_path_that_leads_out_of_the_zip_is_refused",
            f"{TRANSFER}test_a_bomb_is_refused_before_it_unfolds",
            f"{TRANSFER}test_a_bomb_that_lies_about_its_size_is_refused",
            f"{TRANSFER}test_a_link_in_a_zip_is_refused",
        ),
    ),
    Case(
        41,
        "Guessed passwords, planted sessions, open redirects, forged forms",
        "They are blocked",
        (
            f"{ENTRANCE}test_guessing_is_limited",
            f"{ENTRANCE}test_a_session_planted_before_is_worth_nothing_after",
            f"{ENTRANCE}test_logging_in_leads_where_one_was_going_and_to_no_other_site",
            f"{SAVES}test_a_save_is_posted_with_its_csrf_token",
        ),
    ),
    Case(
        42,
        "Production settings",
        "`check --deploy` is clean; no secret has a default",
        (
            "running/test_settings.py::test_production_settings_pass_the_deployment_check",
            "running/test_settings.py::test_what_is_required_has_no_default_outside_debug",
        ),
    ),
    Case(
        43,
        "What students type for a number",
        "It is read, or refused with an explanation",
        (
            f"{PARSING}test_it_reads",
            f"{PARSING}test_it_refuses_with_a_sentence",
            f"{PARSING}test_it_raises_nothing_but_its_own_error",
        ),
    ),
    Case(
        44,
        "A million digits, deep JSON, doubled keys, NUL, lone surrogates",
        "A 4xx at once; no worker dies",
        (
            f"{PARSING}test_a_million_digits_cost_nothing",
            f"{SAVES}test_what_is_no_save_is_refused_with_a_sentence",
            f"{SAVES}test_whatever_text_is_typed_costs_its_cell_only",
        ),
    ),
    Case(
        45,
        "A pasted matrix",
        "It fills the cells; a wrong shape is reported",
        (
            "journeys/test_taking_cells.py::test_a_pasted_table_fills_cells_says_so_and_can_be_taken_back",
        ),
    ),
)
