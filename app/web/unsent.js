// What the server has not confirmed yet, kept by the browser in case both end before it does.

const STORE = "unsent";

/** @returns {Promise<IDBDatabase>} */
function database() {
  return new Promise((done, failed) => {
    const request = indexedDB.open("a3t", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });
}

/** One step on the store, on the disk when it is done; null where the browser keeps nothing. */
async function step(mode, what) {
  try {
    const opened = await database();
    return await new Promise((done, failed) => {
      const transaction = opened.transaction(STORE, mode, { durability: "strict" });
      const request = what(transaction.objectStore(STORE));
      transaction.oncomplete = () => { opened.close(); done(request.result); };
      transaction.onabort = transaction.onerror = () => { opened.close(); failed(transaction.error); };
    });
  } catch {
    return null; // a private window, or no room
  }
}

/** @param {string} project @param {object} script as it would be sent */
export const keep = (project, script) => step("readwrite", (store) => store.put(script, project));
/** @param {string} project */
export const forget = (project) => step("readwrite", (store) => store.delete(project));
/** @param {string} project @returns {Promise<any>} */
export const unsent = (project) => step("readonly", (store) => store.get(project));
