/** Whose page this is: that of the person at this machine, who may do everything, or of a user of a server for a team. */

import { useEffect, useState } from "preact/hooks";
import { closeAll } from "../mcp/client";
import { ENDED, fetched, setTeam } from "../mcp/http";

export type Role = "reader" | "editor" | "owner";

export interface Account {
  is_team: boolean;
  /** Absent where nobody is signed in, and on one's own machine. */
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
  // Somebody else has signed in, in another window: nothing of the first one stays.
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

/** Asks whose page this is now. */
export async function refresh(signal?: AbortSignal): Promise<Account> {
  const response = await fetched(ADDRESS, { signal: signal ?? null });
  return know((await response.json()) as Account);
}

/** Signs in with a token. Throws the server's words where it is no good. */
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

/** What may be done here. Everything else is refused by the server, and so is not offered. */
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

  /** Whether matters may be made. */
  get creates(): boolean {
    return !this.isTeam || (this.account.may_create === true && !this.isReadOnly);
  }

  /** Whether files may be named by their paths on the machine that has the collections, and folders be watched. */
  get hasDisk(): boolean {
    return !this.isTeam || (this.account.has_disk === true && !this.isReadOnly);
  }

  /** The role in a matter, by its name or its ID; `undefined` where there is none to speak of. */
  role(matter: string): Role | undefined {
    const known = this.account.collections ?? [];
    return (known.find(({ id }) => id === matter) ?? known.find(({ name }) => name === matter))?.role;
  }

  private has(matter: string, needed: Role): boolean {
    const role = this.role(matter);
    return !this.isTeam || (!this.isReadOnly && role !== undefined && LEVEL[role] >= LEVEL[needed]);
  }

  /** Whether documents and evidence of a matter may be changed. */
  edits(matter: string): boolean {
    return this.has(matter, "editor");
  }

  /** Whether a matter itself may be changed and deleted. */
  owns(matter: string): boolean {
    return this.has(matter, "owner");
  }
}

/** What may be done on this page, as it is known now. */
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
