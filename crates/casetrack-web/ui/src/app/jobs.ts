/** Running jobs: loaded again each second while any runs, and now and then while none does. */

import { useChanges, useInterval, useTool } from "./hooks";
import type { Job } from "../mcp/types";

/** Milliseconds between two looks, while a job runs and while none does. */
const EVERY = 1000;
const IDLE = 5000;

export const isActive = (job: Job): boolean => job.state === "queued" || job.state === "running";

export function useJobs(collection = "") {
  const loaded = useTool<{ jobs: Job[] }>("", "list_jobs", collection === "" ? {} : { collection_filter: collection });
  const jobs = loaded.value?.jobs ?? [];
  useChanges(loaded.again);
  useInterval(loaded.again, jobs.some(isActive) ? EVERY : IDLE, true);
  return { ...loaded, jobs };
}

/** Seconds that a running job still needs at the pace it had so far. */
export function secondsLeft(job: Job): number | null {
  if (job.state !== "running" || !job.started_at || !job.files_total || job.files_done < 2) return null;
  const passed = (Date.now() - new Date(job.started_at).getTime()) / 1000;
  return (passed / job.files_done) * (job.files_total - job.files_done);
}
