/** The owner of this page: the person at this machine, who may do everything, or a user of a server for a team. */

import { useEffect, useState } from "preact/hooks";
import { closeAll } from "../mcp/client";
import { ENDED, fetched, setTeam } from "../mcp/http";

export type Role = "reader" | "editor" | "owner";

export interface Account {
  is_team: boolean;
  /** Absent if no user is signed in, and on one's own machine. */
  user?: string | null;
  /** The provider whose access tokens are taken, too. */
  issuer?: string | null;
  may_create?: boolean;
  has_disk?: boolean;
  read_only?: boolean;
  collections?: { id: string; name: string; role: Role }[];
}

const ADDRESS = "/session";
const LEVEL: Record<Role, number> = { reader: 0, editor: 1, owner: 2 };

let account: Account = { is_team: false };
/** Whose page it has been so far. */
let first = "";
const listeners = new Set<(account: Account) => void>();

function know(now: Account): Account {
  // Another user has signed in, in another window: nothing of the first one stays.
  if (first !== "" && now.user && first !== now.user) location.replace("/");
  first ||= now.user ?? "";
  account = now;
  setTeam(now.is_team);
  for (const listener of listeners) listener(now);
  return now;
}

addEventListener(ENDED, () => {
  if (account.user) know({ is_team: true, user: null });
});

/** Loads the owner of this page. */
export async function refresh(signal?: AbortSignal): Promise<Account> {
  const response = await fetched(ADDRESS, { signal: signal ?? null });
  return know((await response.json()) as Account);
}

/** Signs in with a token. Throws the server's words if it is invalid. */
export async function signIn(token: string): Promise<Account> {
  const response = await fetched(ADDRESS, { method: "POST", headers: { "content-type": "text/plain" }, body: token });
  return know((await response.json()) as Account);
}

/** Signs out, and leaves nothing of the user on the page. */
export async function signOut(): Promise<void> {
  await closeAll();
  await fetched(ADDRESS, { method: "DELETE" });
  location.replace("/");
}

/** The allowed actions. The server refuses everything else, which is therefore not offered. */
export class Rights {
  constructor(private readonly account: Account) {}

  get isTeam(): boolean {
    return this.account.is_team;
  }

  /** The user's name on a server. */
  get user(): string {
    return this.account.user ?? "";
  }

  /** The session of a page that was signed in is over. */
  get isOver(): boolean {
    return this.isTeam && !this.account.user;
  }

  get isReadOnly(): boolean {
    return this.account.read_only === true;
  }

  /** True if matters may be created. */
  get creates(): boolean {
    return !this.isTeam || (this.account.may_create === true && !this.isReadOnly);
  }

  /** True if files may be named by their paths on the machine that has the collections, and folders be watched. */
  get hasDisk(): boolean {
    return !this.isTeam || (this.account.has_disk === true && !this.isReadOnly);
  }

  /** The role in a matter, by its name or its ID; `undefined` if there is none. */
  role(matter: string): Role | undefined {
    const known = this.account.collections ?? [];
    return (known.find(({ id }) => id === matter) ?? known.find(({ name }) => name === matter))?.role;
  }

  private has(matter: string, needed: Role): boolean {
    const role = this.role(matter);
    return !this.isTeam || (!this.isReadOnly && role !== undefined && LEVEL[role] >= LEVEL[needed]);
  }

  /** True if documents and evidence of a matter may be changed. */
  edits(matter: string): boolean {
    return this.has(matter, "editor");
  }

  /** True if a matter itself may be changed and deleted. */
  owns(matter: string): boolean {
    return this.has(matter, "owner");
  }
}

/** The allowed actions on this page, as they are known now. */
export function useRights(): Rights {
  const [known, setKnown] = useState(account);
  useEffect(() => {
    listeners.add(setKnown);
    setKnown(account);
    return () => {
      listeners.delete(setKnown);
    };
  }, []);
  return new Rights(known);
}
