/** The parts of the tools' answers that the workbench shows. schemas/ has the whole of them. */

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export type CollectionState = "active" | "closed" | "archived";

export interface Collection {
  id: string;
  name: string;
  reference?: string | null;
  collection_type?: string | null;
  status: CollectionState;
  created_at: string;
  /** Absent if no document was added yet. */
  changed_at?: string | null;
  /** Documents that were stored without analysis. */
  incomplete?: number | null;
  /** A vault that is unlocked. */
  vault?: boolean;
  /** Absent if the collection cannot be read; `problem` has the reason. */
  documents?: number | null;
  pages?: number | null;
  chunks?: number | null;
  problem?: string | null;
}

export interface DocumentRow {
  id: string;
  name: string;
  path: string;
  format: string;
  document_type: string;
  extraction_method: string;
  pages: number;
  chunks: number;
  date?: string | null;
  ingested_at: string;
  parties?: string[];
  governing_law?: string | null;
  marks?: { tags?: string[] };
}

export interface DocumentInfo {
  id: string;
  name: string;
  path: string;
  format: string;
  document_type: string;
  extraction_method: string;
  page_count: number;
  chunk_count: number;
  char_count: number;
  size_bytes: number;
  sha256: string;
  ingested_at: string;
  title?: string | null;
  source_exists?: boolean;
  warnings: string[];
  properties?: { language?: string | null; author?: string | null; created?: string | null; modified?: string | null };
}

export interface Provenance {
  document_id: string;
  document_name: string;
  page: number;
  page_label?: string | null;
  bates?: string | null;
  char_start: number;
  char_end: number;
  line_start: number;
  line_end: number;
  heading_path: string[];
  sheet_name?: string | null;
  ocr_confidence?: number | null;
  hidden_text?: string[];
  tracked_changes?: boolean;
  bounding_boxes?: Box[];
}

export interface Excerpt {
  text: string;
  citation: string;
  char_start: number;
  char_end: number;
  line_start: number;
  line_end: number;
}

export interface Stage {
  rank: number;
  score: number;
  share: number;
}

export interface Passage {
  chunk_id: string;
  citation: string;
  short_citation?: string;
  text: string;
  provenance: Provenance;
  excerpt?: Excerpt | null;
  score: number;
  rank: number;
  collection?: string | null;
  bm25?: Stage | null;
  dense?: Stage | null;
  sparse?: Stage | null;
}

export interface SearchAnswer {
  results: Passage[];
  documents: number;
  total_documents: number;
  chunks: number;
  elapsed_ms: number;
  notices: string[];
  next_offset?: number | null;
  complete?: { passages?: number; documents?: number } | null;
}

export interface AskRow {
  document_name: string;
  document_id?: string | null;
  found: boolean;
  score: number;
  quote?: string | null;
  citation?: string | null;
  chunk_id?: string | null;
}

export interface Section {
  title: string;
  level: number;
  page: number;
  char_start: number;
  char_end: number;
  line_start: number;
}

/** One page as `read_page` gives it. Characters are Unicode scalar values of `text`, half-open. */
export interface PageContent {
  document_id: string;
  document_name: string;
  page: number;
  page_count: number;
  label?: string | null;
  bates?: string | null;
  text: string;
  lines: (Box | null)[];
  width?: number | null;
  height?: number | null;
  chunks: { chunk_id: string; char_start: number; char_end: number; line_start: number; line_end: number }[];
  hidden?: { char_start: number; char_end: number; reason: string; part?: string | null }[];
  changes?: { kind: string; char_start: number; char_end: number; text: string; author?: string | null; date?: string | null }[];
  has_picture: boolean;
  sheet_name?: string | null;
  ocr_confidence?: number | null;
  /** Only on request. */
  names: { entity_type: string; name: string; mentions: number }[];
}

export interface Job {
  job_id: string;
  kind: string;
  state: "queued" | "running" | "completed" | "failed" | "cancelled";
  collection: string;
  collection_id: string;
  target: string;
  created_at: string;
  started_at?: string | null;
  finished_at?: string | null;
  files_done: number;
  files_failed: number;
  /** While it runs, the last files that failed. */
  failing?: { path: string; message: string }[];
  files_total?: number | null;
  chunks: number;
  chunks_per_second?: number | null;
  problem?: { message: string; hint?: string | null } | null;
}

export interface FailedFile {
  path: string;
  relative_path: string;
  message: string;
  hint?: string | null;
}

export interface IngestionReport {
  found: number;
  failed: FailedFile[];
  ingested: { document_id: string; name: string; warnings: string[] }[];
  skipped: { relative_path: string; detail: string }[];
  notices: string[];
}

export interface Entity {
  name: string;
  key: string;
  entity_type: string;
  /** Absent if there is none. */
  aliases?: string[];
  mentions: number;
  documents: number;
  chunks: number;
}

/** The places at which contracts name a person. */
export interface ContractRole {
  role: "party" | "signatory";
  document_name: string;
  value: string;
  place: string;
  char_start: number;
  char_end: number;
}

export interface Mention {
  chunk_id: string;
  char_start: number;
  char_end: number;
  mentions?: number;
  roles?: string[];
  relation?: string | null;
  excerpt: Excerpt;
  provenance: Provenance;
}

export interface GraphEdge {
  source: string;
  target: string;
  weight: number;
  chunks: number;
  example?: { chunk_id: string; excerpt: { text: string; citation: string } } | null;
}

export interface TimelineEvent {
  date: { first: string; last: string; precision: string };
  description: string;
  role?: string | null;
  documents: number;
  mentions: number;
  importance: number;
  written?: string;
  source: Mention;
}

export interface Reference {
  name: string;
  kind: string;
  citations: number;
  documents: number;
  resolved?: { id: string; name: string } | null;
}

export interface SheetCell {
  value: string;
  place: string;
  char_start: number;
  char_end: number;
  confidence: number;
  computed?: string | null;
  /** The sentence that states it. */
  clause?: string | null;
}

export interface SheetRow {
  document_name: string;
  document_id?: string | null;
  cells: Record<string, SheetCell[]>;
  /** Candidates of columns without a value that is sure. */
  not_sure?: Record<string, SheetCell[]>;
  not_found?: string[];
}

export interface Sheet {
  columns: { name: string; type: string; defined_by?: string | null }[];
  rows: SheetRow[];
  total: number;
  next_offset?: number | null;
  notices?: string[];
}

export interface QuoteRow {
  number: number;
  line: number;
  quotation: string;
  status: "exact" | "differs" | "not_found";
  same_words?: boolean;
  total: number;
  chunk_id?: string | null;
  citation?: string | null;
  cited?: Cited | null;
  differences?: { document: string; quotation: string; kind: string; preceded_by: string }[];
}

export type CitationFault = "not_in_collection" | "document" | "page" | "bates" | "section" | "paragraph" | "line";

/** The source that a draft gives for something. */
export interface Cited {
  document_name?: string | null;
  pages?: [number, number] | null;
  page_label?: string | null;
  bates?: string | null;
  section?: string | null;
  part?: string | null;
  paragraphs?: [number, number] | null;
  lines?: [number, number] | null;
  fit: "fits" | "does_not_fit" | "unknown";
  fault?: CitationFault | null;
}

/** A citation without a quotation. */
export interface CitationRow {
  line: number;
  text: string;
  cited: Cited;
}

export interface QuotesAnswer {
  counts: {
    quotations: number;
    exact: number;
    differ: number;
    not_found: number;
    citations: number;
    citations_that_do_not_fit: number;
  };
  rows: QuoteRow[];
  next_offset?: number | null;
  /** Of the whole draft; only the first part has them. */
  citations?: CitationRow[];
  notices?: string[];
  is_cut?: boolean;
}

export interface VersionGroup {
  total: number;
  ordered_by?: string;
  versions: {
    document_name: string;
    path?: string | null;
    changes?: number | null;
    similarity?: number | null;
    same_text?: boolean;
    version?: string | null;
  }[];
}

export interface RedlineSide {
  quote: string;
  place: string;
  char_start: number;
  char_end: number;
}

export interface RedlineChange {
  kind: "changed" | "inserted" | "deleted" | "moved" | "moved_and_changed";
  marked?: string | null;
  old?: RedlineSide | null;
  new?: RedlineSide | null;
}

export interface Redline {
  old_document: string;
  new_document: string;
  counts: Record<"changed" | "inserted" | "deleted" | "moved" | "moved_and_changed" | "unchanged", number>;
  changes: RedlineChange[];
  total: number;
  next_offset?: number | null;
}

export interface EvidenceItem {
  id: number;
  /** The state of the passage since it was collected. */
  status?: "unchanged" | "moved" | "changed" | "deleted";
  exhibit?: string | null;
  citation: string;
  text: string;
  note?: string | null;
  document_id: string;
  document_name: string;
  page: number;
  char_start: number;
  char_end: number;
}
