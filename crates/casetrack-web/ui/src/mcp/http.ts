/** Answers of the server outside the protocol: pictures, uploads. */

import { team } from "../strings-team";
import { ToolError } from "./result";

/** True if the page is one of a server for a team, for which other advice helps. */
let isTeam = false;

export function setTeam(is: boolean): void {
  isTeam = is;
}

/** The answer, or the server's own words if it refused. */
export async function fetched(address: string, request: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address, request);
  } catch (error) {
    if (request.signal?.aborted) throw error;
    throw unreachable();
  }
  if (response.ok) return response;
  if (response.status === 401) throw signedOut();
  const text = (await response.text()).slice(0, 2000);
  try {
    const { error, code } = JSON.parse(text) as { error?: string; code?: string };
    throw new ToolError(error ?? text, "", code ?? "");
  } catch (error) {
    throw error instanceof ToolError ? error : new ToolError(`CaseTrack refused the request (${response.status}). ${text.slice(0, 300)}`);
  }
}

export const unreachable = (): ToolError =>
  isTeam
    ? new ToolError(team.unreachable, team.unreachableHint, "unreachable")
    : new ToolError("CaseTrack does not answer.", "It may have ended. Run `casetrack open` in a terminal, then use the page that it opens.", "unreachable");

/** Sent when the server no longer recognises the user. */
export const ENDED = "casetrack-ended";

export function signedOut(): ToolError {
  dispatchEvent(new Event(ENDED));
  return isTeam
    ? new ToolError(team.ended, team.endedHint, "signed_out")
    : new ToolError("This page is no longer signed in.", "Run `casetrack open` in a terminal, then use the page that it opens.", "signed_out");
}
