/** Jobs: what runs, how far it is, and what became of each file. */

import { useState } from "preact/hooks";
import { useRights } from "../app/account";
import { count, counted, duration, moment } from "../app/format";
import { useTool } from "../app/hooks";
import { isActive, secondsLeft, useJobs } from "../app/jobs";
import { Dialog, Empty, Failure, Loading, Notices, sayWhy } from "../app/parts";
import { session } from "../mcp/client";
import type { FailedFile, IngestionReport, Job } from "../mcp/types";
import { t } from "../strings";
import { team } from "../strings-team";

/** Files of a report that are listed; a folder can have hundreds of thousands. */
const LISTED = 500;
/** Jobs that are listed. */
const JOBS = 100;

export function Jobs() {
  const loaded = useJobs();
  if (!loaded.value && loaded.error) return <Failure error={loaded.error} again={loaded.again} />;
  if (!loaded.value) return <Loading />;
  return (
    <div class="page">
      <h1>{t.views.jobs}</h1>
      {loaded.jobs.length === 0 ? (
        <Empty title={t.jobs.none}>
          <p>{t.jobs.noneHint}</p>
        </Empty>
      ) : (
        <JobList jobs={loaded.jobs} again={loaded.again} withCollection />
      )}
    </div>
  );
}

export function JobList({ jobs, again, withCollection = false }: { jobs: Job[]; again: () => void; withCollection?: boolean }) {
  const rights = useRights();
  const [shown, setShown] = useState<Job>();
  return (
    <>
      <ul class="jobs">
        {jobs.slice(0, JOBS).map((job) => (
          <li key={job.job_id} class={`job ${job.state}`}>
            <div class="what">
              <strong>{t.jobs.kinds[job.kind as keyof typeof t.jobs.kinds] ?? job.kind}</strong>
              {withCollection && <span dir="auto"> {job.collection}</span>}
              <p class="quiet path" dir="auto" title={job.target}>
                {job.target}
              </p>
            </div>
            <JobProgress job={job} />
            <div class="actions">
              {isActive(job) && rights.edits(job.collection_id) && (
                <button
                  type="button"
                  onClick={() =>
                    session("")
                      .call("cancel_job", { job_id: job.job_id })
                      .then(again, sayWhy)
                  }
                >
                  {t.jobs.cancel}
                </button>
              )}
              {!isActive(job) && (
                <button type="button" onClick={() => setShown(job)}>
                  {t.jobs.details}
                </button>
              )}
            </div>
            {(job.failing?.length ?? 0) > 0 && (
              <details class="failing">
                <summary>{t.jobs.failingNow(job.files_failed)}</summary>
                <FileList files={job.failing!.map(({ path, message }) => ({ name: path, text: message }))} />
              </details>
            )}
          </li>
        ))}
      </ul>
      {jobs.length > JOBS && <p class="quiet">{t.states.first(JOBS, jobs.length)}</p>}
      {shown && <JobReport job={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}

function JobProgress({ job }: { job: Job }) {
  const left = secondsLeft(job);
  const total = job.files_total ?? 0;
  return (
    <div class="progress">
      <span class={`tag ${job.state}`}>{t.jobs.states[job.state]}</span>{" "}
      <span>
        {total > 0 ? t.jobs.files(job.files_done, total) : counted(job.files_done, "file")}
        {job.files_failed > 0 && <span class="bad"> · {t.jobs.failed(job.files_failed)}</span>}
      </span>
      {isActive(job) ? (
        <>
          <progress aria-label={t.jobs.progress} max={total || undefined} value={total ? job.files_done : undefined} />
          <small>
            {job.chunks_per_second ? t.jobs.rate(job.chunks_per_second) : ""}
            {left !== null ? ` ${t.jobs.left(duration(left))}` : ""}
          </small>
        </>
      ) : (
        <small class="quiet"> {moment(job.finished_at ?? job.created_at)}</small>
      )}
      {job.problem && (
        <p class="bad">
          {job.problem.message} {job.problem.hint}
        </p>
      )}
    </div>
  );
}

interface Report {
  ingestion?: IngestionReport | null;
  sync?: { failed: FailedFile[]; notices: string[] } | null;
  reindex?: { failed: FailedFile[]; notices: string[] } | null;
}

function JobReport({ job, onClose }: { job: Job; onClose: () => void }) {
  const { isTeam } = useRights();
  const loaded = useTool<Report>("", "get_job", { job_id: job.job_id });
  const report = loaded.value?.ingestion ?? loaded.value?.sync ?? loaded.value?.reindex;
  const ingestion = loaded.value?.ingestion;
  const failed = report?.failed ?? [];
  const warned = ingestion?.ingested.filter((file) => file.warnings.length > 0) ?? [];
  return (
    <Dialog title={t.jobs.report} onClose={onClose} wide>
      {!loaded.value && !loaded.error && <Loading />}
      {loaded.error && <Failure error={loaded.error} again={loaded.again} />}
      {loaded.value && (
        <div class="report">
          <Notices notices={report?.notices} />
          {ingestion && <p>{t.jobs.summary(ingestion.found, ingestion.ingested.length, ingestion.skipped.length, failed.length)}</p>}
          {failed.length === 0 && <p>{t.jobs.noFailures}</p>}
          {failed.length > 0 && (
            <section>
              <h3>{t.jobs.failedTitle(failed.length)}</h3>
              <FileList files={failed.map((file) => ({ name: file.relative_path, text: [file.message, file.hint].filter(Boolean).join(" ") }))} />
            </section>
          )}
          {warned.length > 0 && (
            <section>
              <h3>{t.jobs.warnedTitle(warned.length)}</h3>
              <FileList files={warned.map((file) => ({ name: file.name, text: file.warnings.slice(0, 20).join(" ") }))} />
            </section>
          )}
          {ingestion && ingestion.skipped.length > 0 && (
            <section>
              <h3>{t.jobs.skippedTitle(ingestion.skipped.length)}</h3>
              <FileList files={ingestion.skipped.map((file) => ({ name: file.relative_path, text: file.detail }))} />
            </section>
          )}
          {Math.max(failed.length, ingestion?.skipped.length ?? 0) > LISTED && <p class="quiet">{(isTeam ? team.moreFiles : t.jobs.more)(count(LISTED))}</p>}
        </div>
      )}
    </Dialog>
  );
}

function FileList({ files }: { files: { name: string; text: string }[] }) {
  return (
    <ul class="files">
      {files.slice(0, LISTED).map((file, index) => (
        <li key={index}>
          <strong dir="auto">{file.name}</strong>
          <p>{file.text}</p>
        </li>
      ))}
    </ul>
  );
}
