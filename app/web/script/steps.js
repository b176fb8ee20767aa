// What is done to the list of changes, as steps: sent, taken back, and applied to whatever list is there.

/** @import { Change, Edit, Step } from "../records" */

const MOST_RIVALS = 8;

/** What makes a change the same one, whichever take is heard. @param {Change} edit */
export const nameOf = ({ after, tokens, text, cut, recorded }) => JSON.stringify([after, tokens, text, cut && [cut.kind, cut.action, cut.start, cut.end], (recorded || null)?.map(({ at, tokens, file }) => [at, tokens, file || ""])]);

/** @typedef {Pick<Change, "take"|"take_of"|"accepted">} Judged what is said of a change */

/** @template {Change} C @param {C[]} edits @returns {Map<string, C>} */
const named = (edits) => new Map(edits.map((edit) => [nameOf(edit), edit]));
/** @param {Judged} a @param {Judged} b */
const sameTake = (a, b) => a.take === b.take && (a.take_of || "") === (b.take_of || "");
/** @param {Judged|undefined} a @param {Judged|undefined} b */
export const same = (a, b) => !!a && !!b && sameTake(a, b) && a.accepted === b.accepted;

/** The step from one list to another. @param {Edit[]} before @param {Edit[]} after @returns {Step} */
export function between(before, after) {
  const was = named(before), now = named(after);
  return { gone: before.filter((edit) => !same(edit, now.get(nameOf(edit)))), come: after.filter((edit) => !same(edit, was.get(nameOf(edit)))) };
}

/** The step that takes one back, as the server makes it (`Step.back`). @param {Step} step @returns {Step} */
export const inverse = ({ gone, come, was, now, correct = [] }) => ({
  gone: come, come: gone, was: now, now: was, gentle: true,
  correct: correct.map((each) => ({ ...each, tokens: null, text: each.was || "", was: each.text })),
});

/** Ids in a row, first to last, as [first, last]. @param {number[]} ids @returns {[number, number][]} */
export function rowsOf(ids) {
  /** @type {[number, number][]} */
  const rows = [];
  for (const id of ids) {
    if (rows.length && rows[rows.length - 1][1] === id - 1) rows[rows.length - 1][1] = id;
    else rows.push([id, id]);
  }
  return rows;
}

/** Whether both change one place: a token, the gap of an insertion, or sound in a pause. @param {Change} a @param {Change} b */
function touches(a, b) {
  if (a.tokens.length && b.tokens.length) return a.tokens.some((id) => b.tokens.includes(id));
  if (a.tokens.length || b.tokens.length) {
    const [inserted, replaced] = a.tokens.length ? [b, a] : [a, b];
    return replaced.tokens.slice(0, -1).includes(inserted.after);
  }
  if (a.cut && b.cut) return a.cut.start < b.cut.end && b.cut.start < a.cut.end;
  return a.after === b.after;
}

/** A change that is made of its place instead of others, which stay its rivals. @template {Change} C @param {C} edit @param {Change[]} others @returns {C} */
export function over(edit, others) {
  const rivals = named(edit.rivals || []), name = nameOf(edit);
  for (const other of others) {
    for (const each of other.rivals || []) rivals.set(nameOf(each), each);
    rivals.set(nameOf(other), { ...other, rivals: undefined });
  }
  rivals.delete(name);
  return { ...edit, rivals: rivals.size ? [...rivals.values()].slice(-MOST_RIVALS) : undefined };
}

/** The list after a step, as the server makes it (`Step.applied`). @template {Change} C @param {Step<C>} step @param {C[]} edits @returns {C[]} */
export function applied({ gone, come, gentle = false }, edits) {
  const now = named(edits), was = named(gone), comes = named(come), unseen = /** @type {C[]} */ ([]);
  for (const [name, known] of was) {
    if (comes.has(name)) continue;
    const there = now.get(name), seen = named(known.rivals || []);
    unseen.push(.../** @type {C[]} */ ((there?.rivals || []).filter((each) => !seen.has(nameOf(each))))); // they come back
    if (now.delete(name)) continue;
    for (const [key, edit] of now) if (edit.rivals) now.set(key, { ...edit, rivals: edit.rivals.filter((each) => nameOf(each) !== name) });
  }
  for (const edit of [...unseen, ...come]) {
    const name = nameOf(edit);
    const before = was.get(name), kept = now.get(name);
    if (before && kept) {
      const { take, take_of } = sameTake(before, edit) ? kept : edit;
      const { accepted } = before.accepted === edit.accepted ? kept : edit;
      if (!same(kept, { take, take_of, accepted })) now.set(name, { ...kept, take, take_of, accepted });
    } else if (!before && !kept) {
      const others = [...now.values()].filter((other) => touches(edit, other));
      if (others.length && gentle && !unseen.includes(edit)) continue;
      const last = others.reduce((best, other) => ((other.at || 0) > (best?.at || 0) ? other : best), others[0]);
      if (last && (last.at || 0) > (edit.at || 0)) {
        now.set(nameOf(last), over(last, [edit]));
        continue;
      }
      for (const other of others) now.delete(nameOf(other));
      now.set(name, over(edit, others));
    }
  }
  return [...now.values()];
}
