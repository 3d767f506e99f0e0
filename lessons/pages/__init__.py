"""Reading lessons: the catalogue, the page of a lesson, the search, what can be taken along."""
