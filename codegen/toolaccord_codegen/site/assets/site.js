// The frame of every page: colours, entries at the side, copies of code, and the search.
(() => {
  const root = document.documentElement;
  const MOST = 30;
  /** Points of an entry for its kind: what people look for first. */
  const KINDS = { tool: 30, server: 25, page: 20, agent: 20, error: 15, section: 10, argument: 5, field: 1 };

  function followTheme() {
    document.getElementById("theme").addEventListener("click", () => {
      const isDark = root.dataset.theme
        ? root.dataset.theme === "dark"
        : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = isDark ? "light" : "dark";
      root.dispatchEvent(new Event("themechange"));
      try {
        localStorage.setItem("theme", root.dataset.theme);
      } catch {
        // The choice lasts for this page.
      }
    });
  }

  function followMenu() {
    const menu = document.getElementById("menu");
    menu.addEventListener("click", () => {
      menu.setAttribute("aria-expanded", String(menu.getAttribute("aria-expanded") !== "true"));
    });
    const side = document.querySelector(".side");
    const entry = side.querySelector("[aria-current='page']");
    if (entry && entry.offsetTop > side.clientHeight - entry.clientHeight) {
      side.scrollTop = entry.offsetTop - side.clientHeight / 2;
    }
  }

  /** Adds a link to each heading. */
  function linkHeadings() {
    for (const heading of document.querySelectorAll("main :is(h2, h3)[id]")) {
      const link = document.createElement("a");
      link.className = "self";
      link.href = `#${encodeURIComponent(heading.id)}`;
      link.textContent = "#";
      link.setAttribute("aria-label", `Link to ${heading.textContent}`);
      heading.append(link);
    }
  }

  /**
   * Copies a text, or selects it where a browser or its reader forbids to copy, as on pages of plain HTTP.
   * @param {HTMLElement} block
   * @returns {Promise<boolean>} true if it was copied
   */
  async function copy(block) {
    try {
      await navigator.clipboard.writeText(block.textContent);
      return true;
    } catch {
      getSelection().selectAllChildren(block);
      return false;
    }
  }

  /** Adds a button to each block of code. */
  function offerCopies() {
    for (const block of document.querySelectorAll("main pre")) {
      const around = document.createElement("div");
      const button = document.createElement("button");
      around.className = "block";
      button.className = "copy";
      button.type = "button";
      button.textContent = "Copy";
      button.addEventListener("click", async () => {
        button.textContent = (await copy(block)) ? "Copied" : "Press Ctrl+C";
      });
      block.replaceWith(around);
      around.append(block, button);
    }
  }

  /**
   * @param {string} text
   * @returns {string[]}
   */
  function split(text) {
    return text
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter(Boolean);
  }

  /**
   * Points of an entry for the words of a query; 0 if it lacks one of them.
   * @param {{title: string, words: string[], around: string[], kind: string}} entry
   * @param {string[]} wanted
   * @param {string} query
   */
  function rate(entry, wanted, query) {
    let points = KINDS[entry.kind] ?? 3;
    for (const word of wanted) {
      if (entry.words.includes(word)) {
        points += 40;
      } else if (entry.words.some((each) => each.startsWith(word))) {
        points += 25;
      } else if (entry.around.some((each) => each.startsWith(word))) {
        points += 5;
      } else {
        return 0;
      }
    }
    if (entry.title === query) {
      points += 100;
    } else if (entry.title.startsWith(query)) {
      points += 10;
    }
    return points;
  }

  /** @returns {Promise<object[]>} */
  function loadIndex() {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `${root.dataset.root}assets/search-index.js`;
      script.addEventListener("load", () => resolve(globalThis.siteIndex.map(readEntry)));
      script.addEventListener("error", () => reject(new Error("The search index is missing.")));
      document.head.append(script);
    });
  }

  /** @param {string[]} listed */
  function readEntry([shown, kind, url, place, summary]) {
    return {
      shown,
      title: shown.toLowerCase().split(" · ")[0],
      kind,
      url,
      place,
      summary,
      words: split(shown),
      around: split(`${place} ${summary} ${kind}`),
    };
  }

  /**
   * @param {object[]} index
   * @param {string} query
   */
  function find(index, query) {
    const wanted = split(query);
    return index
      .map((entry, order) => ({ entry, order, points: wanted.length ? rate(entry, wanted, query) : 0 }))
      .filter(({ points }) => points > 0)
      .sort((a, b) => b.points - a.points || a.entry.title.length - b.entry.title.length || a.order - b.order)
      .slice(0, MOST)
      .map(({ entry }) => entry);
  }

  function followSearch() {
    const input = document.getElementById("search");
    const list = document.getElementById("found");
    /** @type {Promise<object[]> | undefined} */
    let index;
    let chosen = 0;

    function close() {
      list.hidden = true;
      input.setAttribute("aria-expanded", "false");
      input.removeAttribute("aria-activedescendant");
    }

    /** @param {number} position */
    function choose(position) {
      const options = [...list.querySelectorAll("[role='option']:not([aria-disabled])")];
      chosen = options.length ? (position + options.length) % options.length : 0;
      for (const [number, option] of options.entries()) {
        option.setAttribute("aria-selected", String(number === chosen));
      }
      options[chosen]?.scrollIntoView({ block: "nearest" });
      if (options.length) {
        input.setAttribute("aria-activedescendant", options[chosen].id);
      } else {
        input.removeAttribute("aria-activedescendant");
      }
    }

    /** @param {string} url */
    function open(url) {
      close();
      location.href = root.dataset.root + url;
    }

    /**
     * @param {object} entry
     * @param {number} number
     */
    function makeOption(entry, number) {
      const option = document.createElement("li");
      const place = document.createElement("small");
      option.id = `found-${number}`;
      option.setAttribute("role", "option");
      option.dataset.url = entry.url;
      place.textContent = [entry.kind, entry.place, entry.summary].filter(Boolean).join(" · ");
      option.append(entry.shown, place);
      option.addEventListener("mousedown", (event) => event.preventDefault());
      option.addEventListener("click", () => open(entry.url));
      return option;
    }

    /** @param {string} text */
    function makeNote(text) {
      const note = document.createElement("li");
      note.id = "found-none";
      note.textContent = text;
      note.setAttribute("role", "option");
      note.setAttribute("aria-disabled", "true");
      return note;
    }

    /** @param {string} query */
    async function search(query) {
      try {
        index ??= loadIndex();
        const found = find(await index, query);
        return found.length ? found.map(makeOption) : [makeNote("Nothing found")];
      } catch (error) {
        index = undefined; // The next letter tries again.
        return [makeNote(error.message)];
      }
    }

    async function show() {
      const query = input.value.trim().toLowerCase();
      const options = await search(query);
      if (document.activeElement !== input || input.value.trim().toLowerCase() !== query) {
        return;
      }
      list.replaceChildren(...options);
      list.hidden = query === "";
      input.setAttribute("aria-expanded", String(query !== ""));
      choose(0);
    }

    input.addEventListener("input", show);
    input.addEventListener("focus", show);
    input.addEventListener("blur", close);
    input.addEventListener("keydown", (event) => {
      const url = list.querySelector("[aria-selected='true']")?.dataset.url;
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        choose(chosen + (event.key === "ArrowDown" ? 1 : -1));
      } else if (event.key === "Enter" && url && !list.hidden) {
        event.preventDefault();
        open(url);
      } else if (event.key === "Escape") {
        close();
      }
    });
    document.addEventListener("keydown", (event) => {
      const isTyping = event.target.closest?.("input, textarea, [contenteditable]");
      if (!isTyping && (event.key === "/" || (event.key === "k" && (event.ctrlKey || event.metaKey)))) {
        event.preventDefault();
        input.focus();
      }
    });
  }

  followTheme();
  followMenu();
  linkHeadings();
  offerCopies();
  followSearch();
})();
