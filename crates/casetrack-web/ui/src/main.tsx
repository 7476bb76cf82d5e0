import { render } from "preact";
import { useEffect } from "preact/hooks";
import { refresh, useRights } from "./app/account";
import { hearChanges, useLoad } from "./app/hooks";
import { Empty, Failure, Guard, Loading } from "./app/parts";
import { useRoute, type Route } from "./app/router";
import { Shell } from "./app/shell";
import { ChunkLink, Reader } from "./reader/reader";
import { t } from "./strings";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/views.css";
import "./styles/reader.css";
import "./styles/analysis.css";
import "./styles/team.css";
import "./styles/print.css";
import { Documents } from "./views/documents";
import { Draft } from "./views/draft";
import { Entities } from "./views/entities";
import { EvidenceTray } from "./views/evidence";
import { Jobs } from "./views/jobs";
import { Login } from "./views/login";
import { Matters } from "./views/matters";
import { References } from "./views/references";
import { Search } from "./views/search";
import { MatterSheet } from "./views/sheet";
import { Timeline } from "./views/timeline";
import { Versions } from "./views/versions";

function View({ route }: { route: Route }) {
  const { collection, view, id } = route;
  if (collection === "") {
    if (view === "matters") return <Matters />;
    if (view === "jobs") return <Jobs />;
  } else {
    if (view === "documents") return <Documents key={collection} collection={collection} />;
    if (view === "search") return <Search key={collection} route={route} />;
    if (view === "doc") return <Reader key={`${collection}/${id}`} route={route} />;
    if (view === "sheet") return <MatterSheet key={collection} route={route} />;
    if (view === "timeline") return <Timeline key={collection} route={route} />;
    if (view === "entities") return <Entities key={collection} route={route} />;
    if (view === "references") return <References key={collection} route={route} />;
    if (view === "versions") return <Versions key={collection} route={route} />;
    if (view === "draft") return <Draft key={collection} collection={collection} />;
    if (view === "evidence") return <EvidenceTray key={collection} collection={collection} />;
    if (view === "chunk") return <ChunkLink key={id} route={route} />;
  }
  return (
    <Empty title={t.shell.unknown}>
      <p>{t.shell.unknownHint}</p>
    </Empty>
  );
}

function App() {
  const route = useRoute();
  const { isOver } = useRights();
  // A user who signs in again may do so in another window.
  useEffect(() => (isOver ? undefined : hearChanges()), [isOver]);
  return (
    <Shell route={route}>
      <Guard of={`${route.collection}/${route.view}/${route.id}`}>
        <View route={route} />
      </Guard>
    </Shell>
  );
}

/** Lets in who is signed in, and the person at this machine. */
function Door() {
  const loaded = useLoad(refresh, []);
  if (!loaded.value) return <main id="main">{loaded.error ? <Failure error={loaded.error} again={loaded.again} /> : <Loading />}</main>;
  const { is_team, user, issuer } = loaded.value;
  if (is_team && !user) return <Login issuer={issuer ?? null} onDone={loaded.again} />;
  return <App />;
}

const root = document.getElementById("app");
if (root) render(<Door />, root);
