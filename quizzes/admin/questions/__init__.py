"""The bank of concept questions in the admin: its list, its pages and what is done to several."""
