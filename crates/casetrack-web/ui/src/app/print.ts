/** Printing: what a view shows in parts is drawn whole for as long as the browser prints. */

import { options } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Rows of a list that are printed. */
export const PRINTED = 2000;

/** Draws at once what changes in `act`: the browser takes the page as it is when the event ends. */
function atOnce(act: () => void): void {
  const usual = options.debounceRendering;
  options.debounceRendering = (draw) => draw();
  try {
    act();
  } finally {
    if (usual) options.debounceRendering = usual;
    else delete options.debounceRendering;
  }
}

/** True while the page is being printed. */
export function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const begin = () => atOnce(() => setPrinting(true));
    const end = () => setPrinting(false);
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, []);
  return printing;
}
