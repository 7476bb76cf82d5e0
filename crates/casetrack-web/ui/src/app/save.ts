/** Files that CaseTrack makes for the user to take away. */

import { fetched } from "../mcp/http";
import { download } from "./format";
import { say, sayWhy } from "./parts";

/** Saves the content of an address, and reports missing parts, or why there is nothing to save. */
export async function save(address: string, name: string): Promise<void> {
  try {
    const response = await fetched(address, {});
    const notices = decodeURIComponent(response.headers.get("x-notices") ?? "");
    download(name, await response.blob());
    if (notices !== "") say(notices.replaceAll("\n", " "));
  } catch (error) {
    sayWhy(error as Error);
  }
}
