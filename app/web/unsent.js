// What the server has not confirmed yet, kept by the browser in case both end before it does.

const STORES = ["unsent", "requests", "recordings"];

/** @returns {Promise<IDBDatabase>} */
function database() {
  return new Promise((done, failed) => {
    const request = indexedDB.open("a3t", 3);
    request.onupgradeneeded = () => {
      for (const name of STORES) if (!request.result.objectStoreNames.contains(name)) request.result.createObjectStore(name);
    };
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });
}

/** One step on a store, on the disk when it is done; null where the browser keeps nothing. @template T @param {string} store @param {IDBTransactionMode} mode @param {(held: IDBObjectStore) => IDBRequest<T>} what @returns {Promise<T|null>} */
async function step(store, mode, what) {
  try {
    const opened = await database();
    return await new Promise((done, failed) => {
      const transaction = opened.transaction(store, mode, { durability: "strict" });
      const request = what(transaction.objectStore(store));
      transaction.oncomplete = () => { opened.close(); done(request.result); };
      transaction.onabort = transaction.onerror = () => { opened.close(); failed(transaction.error); };
    });
  } catch {
    return null; // a private window, or no room
  }
}

/** @param {"unsent"|"requests"|"recordings"} store @param {string} key @param {any} value */
export const keep = (store, key, value) => step(store, "readwrite", (held) => held.put(value, key));
/** @param {"unsent"|"requests"|"recordings"} store @param {string} key */
export const forget = (store, key) => step(store, "readwrite", (held) => held.delete(key));
/** All that is kept, [key, value] of each. @param {"unsent"|"requests"|"recordings"} store @returns {Promise<[string, any][]>} */
export async function kept(store) {
  const keys = await step(store, "readonly", (held) => held.getAllKeys());
  const values = keys && await step(store, "readonly", (held) => held.getAll());
  return values && keys.length === values.length ? keys.map((key, k) => [String(key), values[k]]) : [];
}
