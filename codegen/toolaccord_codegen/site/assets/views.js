// Shows the view of a tool with the result of its example. bridge.js of toolaccord/views stands before it.
{
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const place = document.querySelector(".view");
  const sample = JSON.parse(document.getElementById("view-data").textContent);

  /** Names of the standard for colours of this page. */
  const COLOURS = {
    "--color-background-primary": "--back",
    "--color-background-secondary": "--panel",
    "--color-border-primary": "--line",
    "--color-text-primary": "--text",
    "--color-text-secondary": "--quiet",
  };
  const colours = getComputedStyle(root);
  const variables = Object.fromEntries(
    Object.entries(COLOURS).map(([name, own]) => [name, colours.getPropertyValue(own).trim()]),
  );

  const readContext = () => ({
    theme: root.dataset.theme ?? (dark.matches ? "dark" : "light"),
    styles: { variables },
  });

  /** @param {string} url of the web; other ones may run or read something here */
  function openLink(url) {
    const { protocol, href } = new URL(url);
    if (protocol !== "https:" && protocol !== "http:") {
      throw new Error("Only addresses of the web are opened");
    }
    window.open(href, "_blank", "noopener,noreferrer");
  }

  const shown = mountView(place, {
    title: place.dataset.title,
    src: place.dataset.source,
    context: readContext(),
    openLink,
    callTool: async () => ({
      isError: true,
      content: [{ type: "text", text: "This page has one example. Connect a host to call the tool." }],
    }),
  });
  const followTheme = () => shown.setContext(readContext());

  root.addEventListener("themechange", followTheme);
  dark.addEventListener("change", followTheme);
  shown.sendInput(sample.arguments);
  shown.sendResult(sample.result);
}
