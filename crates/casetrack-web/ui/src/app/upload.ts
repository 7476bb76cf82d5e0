/** Files that are dropped or chosen, sent to CaseTrack on this machine. */

import { fetched } from "../mcp/http";

export interface Dropped {
  /** Relative path: with its folders, if a folder was dropped. */
  path: string;
  file: File;
}

/** Most files of one drop; more are read faster by path. */
export const MOST_FILES = 2000;

async function entries(entry: FileSystemEntry, found: Dropped[]): Promise<void> {
  if (found.length > MOST_FILES) return;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    found.push({ path: entry.fullPath.replace(/^\//, ""), file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // A reader gives at most a hundred entries at a time.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return;
    for (const child of part) await entries(child, found);
  }
}

/** The files of a drop, those of dropped folders included. */
export async function dropped(data: DataTransfer): Promise<Dropped[]> {
  // Entries can only be taken during the event itself.
  const tops = Array.from(data.items, (item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const files = Array.from(data.files, (file) => ({ path: file.name, file }));
  if (tops.length === 0) return files;
  const found: Dropped[] = [];
  for (const top of tops) await entries(top, found);
  return found;
}

/** Sends one file and gives the path under which CaseTrack keeps it. */
export async function upload(collection: string, { path, file }: Dropped, signal?: AbortSignal): Promise<string> {
  const response = await fetched(`/upload?collection=${encodeURIComponent(collection)}`, {
    method: "POST",
    headers: { "x-casetrack": "1", "x-file-path": encodeURIComponent(path), "content-type": "application/octet-stream" },
    body: file,
    signal: signal ?? null,
  });
  return ((await response.json()) as { path: string }).path;
}
