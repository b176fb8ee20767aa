"""The systems that A3T is compared with, real and trained, behind one interface.

`interface` has it; `networks`, `fastspeech2`, `editspeech` and `simple` implement it; `named`
builds a system from its name and the folder of a run; `train_systems` trains those that are
networks, each by ``conf/``, on one feature store.
"""
