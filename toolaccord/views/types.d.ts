/** What the modules of views exchange; for editors, not for browsers. */

/** The configuration that the compiler writes: docs/decisions/0074. */
interface View {
  server: string;
  tool: string;
  title: string;
  result: string;
  paging?: { limit: string; offset: string; total?: string };
  parameters?: object;
  panels: { kind: string; title?: string }[];
}

interface Column {
  pointer: string;
  label: string;
  format: "number" | "integer" | "boolean" | "text" | "date" | "date-time";
  unit?: string;
  description?: string;
}

/** The library in vendor/, which has types of its own. */
declare const uPlot: any;

interface Band {
  lower: Column;
  upper: Column;
}

interface Curve {
  column: Column;
  /** line, area, lower or upper */
  kind: string;
  hue: number;
  dash: number;
}

interface Candle {
  open: number;
  high: number;
  low: number;
  close: number;
  width: number;
  colour: string;
}

/** What a panel tells a chart. */
interface Plan {
  options: Record<string, any>;
  data: (number | null)[][];
  summary: string;
  describe: (index: number) => Node[];
}

interface PanelOnPage {
  element: HTMLElement;
  update(result: unknown): void;
  fill?(input: Record<string, unknown>): void;
}

type Page = import("./page.js").Page;
type Format = import("./format.js").Format;

interface ToolResult {
  content?: { type: string; text?: string }[];
  structuredContent?: object;
  isError?: boolean;
}

interface HostContext {
  theme?: "light" | "dark";
  styles?: { variables?: Record<string, string> };
  locale?: string;
  timeZone?: string;
  safeAreaInsets?: { top: number; right: number; bottom: number; left: number };
}
