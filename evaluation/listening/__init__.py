"""A listening test: blind pages for people (`kit`), and what their ratings say (`ratings`)."""
