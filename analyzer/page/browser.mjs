// SPDX-License-Identifier: Apache-2.0
// A headless Chromium driven over its debugging pipe (Chrome DevTools Protocol: JSON messages that end with a zero
// byte, on file descriptors 3 and 4). For the tests of the report page; needs node and chromium only.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
               "--disable-background-networking", "--disable-component-update", "--disable-sync",
               "--remote-debugging-pipe"];
const PATIENCE_MS = 150000;  // a browser takes its time on a busy machine

export class Browser {
  constructor(program) {
    this.profile = mkdtempSync(join(tmpdir(), "report-page-"));
    this.process = spawn(program, [...FLAGS, "--user-data-dir=" + this.profile, "about:blank"],
                         { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.process.on("error", (error) => { throw error; });
    this.waiting = new Map();
    this.listeners = [];
    this.lastId = 0;
    let rest = Buffer.alloc(0);
    this.process.stdio[4].on("data", (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
        this.receive(JSON.parse(rest.subarray(0, end).toString()));
        rest = rest.subarray(end + 1);
      }
    });
  }

  receive(message) {
    if (message.id === undefined) {
      for (const listener of this.listeners) listener(message);
      return;
    }
    const { resolve, reject } = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.error) reject(new Error(message.error.message)); else resolve(message.result);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.lastId;
    this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method}: no answer from the browser`)), PATIENCE_MS);
      const settle = (how) => (value) => { clearTimeout(timer); how(value); };
      this.waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
    });
  }

  /** Opens an address in a new page of the given size. */
  async open(url, width, height, features = []) {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId);
    await page.prepare(width, height, features);
    await page.send("Page.navigate", { url });
    return page;
  }

  async close() {
    const ended = new Promise((resolve) => this.process.on("exit", resolve));
    await this.send("Browser.close").catch(() => {});
    await ended;
    rmSync(this.profile, { recursive: true, force: true });
  }
}

class Page {
  constructor(browser, session) {
    this.browser = browser;
    this.session = session;
    this.complaints = [];  // console errors and warnings, uncaught exceptions
    this.requests = [];    // addresses asked for
    browser.listeners.push((message) => { if (message.sessionId === session) this.notice(message); });
  }

  notice({ method, params }) {
    if (method === "Runtime.exceptionThrown") {
      this.complaints.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
    } else if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type)) {
      this.complaints.push(params.args.map((arg) => arg.value ?? arg.description).join(" "));
    } else if (method === "Log.entryAdded" && ["error", "warning"].includes(params.entry.level)) {
      this.complaints.push(params.entry.text);
    } else if (method === "Network.requestWillBeSent") {
      this.requests.push(params.request.url);
    }
  }

  send(method, params) { return this.browser.send(method, params, this.session); }

  async prepare(width, height, features) {
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await this.send(domain + ".enable");
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    await this.send("Emulation.setEmulatedMedia", { features });
  }

  /** The value of a JavaScript expression in the page. */
  async value(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, returnByValue: true,
                                                                               awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
    return result.value;
  }

  /** Waits until the expression is true. */
  async until(expression, timeout = PATIENCE_MS) {
    for (const end = Date.now() + timeout; Date.now() < end;) {
      if (await this.value(expression).catch(() => false)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error("never became true: " + expression + "; the page says: " + this.complaints.join("; "));
  }

  async mouse(type, x, y, clickCount = 0) {
    const button = type === "mouseMoved" && !this.pressed ? "none" : "left";
    if (type === "mousePressed") this.pressed = true;
    if (type === "mouseReleased") this.pressed = false;
    await this.send("Input.dispatchMouseEvent", { type, x, y, button, buttons: this.pressed ? 1 : 0, clickCount });
  }

  async drag(x0, y0, x1, y1) {
    await this.mouse("mouseMoved", x0, y0);
    await this.mouse("mousePressed", x0, y0, 1);
    await this.mouse("mouseMoved", (x0 + x1) / 2, (y0 + y1) / 2);
    await this.mouse("mouseMoved", x1, y1);
    await this.mouse("mouseReleased", x1, y1, 1);
  }

  /** PNG of the whole page as it is. */
  async picture() {
    const { data } = await this.send("Page.captureScreenshot", { captureBeyondViewport: true });
    return Buffer.from(data, "base64");
  }

  async pdf() {
    const { data } = await this.send("Page.printToPDF", { preferCSSPageSize: true, printBackground: true });
    return Buffer.from(data, "base64");
  }
}
