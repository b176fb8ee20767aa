// The size of what is exported is told by what is written: its samples' width, and its channels.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./web.mjs";

const { bytesOf } = await load("panels/export_sheet.js");
const sound = { sample_rate: 48000, channels: 2, samples: 480000, seconds: 10, kind: ".wav", file_channels: 6, sample_bytes: 3 };

test("an export is as large as its samples", () => {
  assert.equal(bytesOf(1000, "", sound, []), 18000);
  assert.equal(bytesOf(1000, ".wav", { ...sound, sample_bytes: 4, file_channels: 1 }, []), 4000);
  assert.equal(bytesOf(1000, "", sound, [{ channels: 1 }, { channels: 1 }]), 3000); // the mix
  assert.equal(bytesOf(1000, "", sound, [{ channels: 1 }, { channels: 2 }]), 6000);
  assert.equal(bytesOf(1000, "", { ...sound, kind: ".flac" }, []), bytesOf(1000, ".flac", sound, []));
  assert.ok(bytesOf(48000, ".mp3", { ...sound, file_channels: 1 }, []) < bytesOf(48000, ".m4a", { ...sound, file_channels: 1 }, []));
});
