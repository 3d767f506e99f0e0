"""Sheets: HTML of variants, made by workers before anybody asks for it.

What is printed from a variant never changes, and one student alone will see it: whoever makes it
ahead spares the page that student waits for most of its work. A sheet is found by a hash of what it
says, its language and all code that it is made with, so that a site never shows those of another
release. There need be none: pages make what they lack.
"""
