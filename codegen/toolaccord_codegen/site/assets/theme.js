// Sets the chosen colours before anything is painted.
(() => {
  const root = document.documentElement;

  /** @returns {string | null} */
  function read() {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null; // a browser may keep nothing for files
    }
  }

  const chosen = read();
  if (chosen === "light" || chosen === "dark") {
    root.dataset.theme = chosen;
  }
})();
