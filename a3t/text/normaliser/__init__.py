"""Written English to the words that are spoken for it, token by token; `normalise` is the way in.

In order: `unspoken` parts are passed over, `tokens` splits the rest, and each token gets its words
in its `context`, by the rules for `figures` and for `letters`. `vocabulary` holds what is data,
`numbers` says figures as words. How the words sound is `pronunciation`'s.
"""
