"""Written English to the words that are spoken for it, token by token; `normalise` is the way in.

In order: `unspoken` parts are passed over, `tokens` splits the rest (`letters` makes them plain),
`grouping` joins those that are read as one, `abbreviations` and `verbalise` give each its words in
its `context`, the latter by the rules of `kinds`. How the words sound is `pronunciation`'s.
"""
