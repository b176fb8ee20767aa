"""Words with several pronunciations, told apart by the words beside them.

`homograph_choice` is the way in.
"""
