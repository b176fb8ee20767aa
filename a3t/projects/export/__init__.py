"""An edit for other programs: subtitles, labels, timelines, documents, pictures.

From a result to files beside it; nothing here changes an edit.
"""
