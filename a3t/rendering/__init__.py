"""From a plan to patches of sound: filled, vocoded, with pauses, joined to the recording."""
