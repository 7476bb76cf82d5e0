// A host of MCP Apps: the official bridge in a page, with the view in a frame that may run scripts and nothing else.

import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'none'";

window.show = async (html, { tool, args, result, capabilities = { serverTools: {}, serverResources: {} } }) => {
  window.seen = { sizes: [], modes: [] };
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  frame.title = "view";
  frame.srcdoc = html.replace("<head>", `<head><meta http-equiv="Content-Security-Policy" content="${POLICY}">`);
  frame.width = "700";
  frame.height = "500";
  const bridge = new AppBridge(null, { name: "test-host", version: "1" }, capabilities, {
    hostContext: {
      theme: "light",
      displayMode: "inline",
      availableDisplayModes: ["inline", "fullscreen"],
      styles: { variables: { "--color-background-primary": "rgb(250, 240, 230)" } },
      toolInfo: { tool: { name: tool, inputSchema: { type: "object" } } },
    },
  });
  // What the view asks for goes to the program, as a host passes it on.
  bridge.oncalltool = ({ name, arguments: given }) => window.passOn("tools/call", { name, arguments: given });
  bridge.onreadresource = ({ uri }) => window.passOn("resources/read", { uri });
  bridge.onsizechange = (size) => window.seen.sizes.push(size);
  bridge.onrequestdisplaymode = async ({ mode }) => {
    window.seen.modes.push(mode);
    return { mode };
  };
  const ready = new Promise((resolve) => (bridge.oninitialized = resolve));
  document.body.replaceChildren(frame);
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  await ready;
  window.bridge = bridge;
  await bridge.sendToolInput({ arguments: args });
  if (result) await bridge.sendToolResult(result);
};
