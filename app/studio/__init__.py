"""The script editor's server side: projects in folders, the work on them, and its interface.

How a change travels, from the page's text to the file that is taken home:

1.  The page (`app/web/saver.js`) sends its steps to ``/script`` (`routes`): operations on the
    project's document (`a3t.projects.document`), which is written down before it is answered.
2.  A change that has no take yet gets one (`project_takes`): `work.take_orders` puts together
    what its maker needs, a `TakeJob`, which waits in a lane (`processes.lanes`).
3.  The editor's process carries it out (`work.worker_tasks`, so that the server needs no torch):
    `work.take_making` makes of the change's surroundings an `a3t.projects.takes.Take`, which goes
    the way of every edit: `Editor.plan`, `Editor.make`. Its folder (`a3t.projects.store.folder`)
    holds the samples and how they were made; the page is told by an event.
4.  `work.mixdown` puts the chosen takes into the recording: an `EditedRecording` like any other,
    whose edit.json has every take's request, so that ``a3t edit --replay`` makes the same file.

The words come the same way: `work.listening` opens the recording and hears it part by part,
`project_listening` keeps them, `word_corrections` changes what they say. A project as a file is
`a3t.projects.store`'s.
"""
