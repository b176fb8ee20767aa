"""The script editor's server side: projects in folders, the work on them, and its interface.

How a change travels, from the page's text to the file that is taken home:

1.  The page (`app/web/saver.js`) sends its steps, each the edits that went and those that came, to
    ``/script`` (`routes`). They are operations on the project's document
    (`a3t.projects.document`): a `Change` names the tokens that give way, by their ids, and the new
    words; a step that comes twice counts once, and another window's steps are merged with it.
    `project.Project.save` writes the document down before it answers.
2.  A change that has no take yet gets one (`project.TakeMaking`). `work.take_orders` puts together
    what its maker needs: the words around it, the project's settings as an `EditRequest`, and for a
    further take what is wanted otherwise. That `TakeJob` waits in a lane
    (`processes.lanes`) before everything that nobody waits for.
3.  The editor's process carries it out (`work.worker_tasks`, so that the server needs no torch):
    `work.take_making` cuts the surroundings out of the recording and makes them an
    `a3t.projects.takes.Take`, a stretch and an `EditRequest` with its own text and alignment. From
    there on it goes the way of every edit: `Editor.plan`, `Editor.make`.
4.  The take's folder (`storage.folders`) holds the samples that replace a stretch of the original
    (patch.npy), the same to be heard (sound.pcm), how it was made (request.json) and what the page
    shows of it (take.json). What is recorded elsewhere becomes further takes, when nothing else is
    to do. The page is told by an event (`routes`) and plays it at once.
5.  What is taken home has the chosen takes: `work.mixdown` puts their samples into the recording
    and makes them an `EditedRecording` like any other, whose edit.json has every take's request,
    so that ``a3t edit --replay`` makes the same file.

What the recording says comes the same way: `work.listening` and `work.ingest` hear it part by part
in the editor's process, `project_words` keep and change the words. A
project as a file is `storage.packed_project`'s, and what comes in with one is checked there.

Gradio's page, its endpoints and the processes are `app`'s; nothing here makes sound by itself.
"""
