/** Files that CaseTrack makes for the user to take away. */

import { fetched } from "../mcp/http";
import { download } from "./format";
import { say, sayWhy } from "./parts";

/** Saves what is under an address, and says what is missing in it, or why there is nothing to save. */
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
