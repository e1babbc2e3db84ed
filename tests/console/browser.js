// One browser for all tests of a program, a client beside it, and pages of the console in it. A page that runs into an error of its script,
// or into the content security policy, fails its test.
import assert from 'node:assert/strict';
import { mkdtempSync, mkdirSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { chromium } from 'playwright-core';
import { Resp } from './resp.js';

export const kOrigin = `${process.env.MAYFLY_SCHEME}://127.0.0.1:${process.env.MAYFLY_HTTP_PORT}`;
export const kScreens = path.resolve('screens');

const kPatience = 20_000; // Milliseconds; a busy machine is slow.
const kDesk = { width: 1280, height: 900 };

let context;
let profile;

export let resp; // Beside the page.

export function useBrowser() {
  before(open);
  after(close);
  beforeEach(async () => {
    await resp.run('FLUSHALL');
    await resp.run('TTL.POLICY', 'SET', 'events', 'off', 'max-ttl', 'none', 'breach', 'refuse');
  });
}

async function open() {
  resp = await Resp.open();
  profile = mkdtempSync(path.join(os.tmpdir(), 'mayfly-browser-'));
  mkdirSync(kScreens, { recursive: true });
  context = await chromium.launchPersistentContext(profile, {
    executablePath: '/usr/bin/chromium',
    headless: true,
    viewport: kDesk,
    acceptDownloads: true,
    ignoreHTTPSErrors: process.env.MAYFLY_SCHEME === 'https', // Its certificate is of no known authority.
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  context.setDefaultTimeout(kPatience);
}

async function close() {
  resp.close();
  await context.close();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
}

const runOf = async () => /run_id:(\w+)/.exec(await resp.run('INFO', 'server'))[1];

// The server dies as in a crash, and is started again; `resp` is connected anew.
export async function restartServer() {
  const before = await runOf();
  await writeFile(process.env.MAYFLY_WISHES, 'restart\n');
  await until(async () => {
    resp.close();
    resp = await Resp.open().catch(() => resp);
    return (await runOf().catch(() => before)) !== before;
  }, true);
}

// A page of the browser whose faults are collected in `page.faults`.
export async function newPage(size) {
  const page = await context.newPage();
  await page.setViewportSize(size);
  page.faults = [];
  page.on('pageerror', (error) => page.faults.push(`error: ${error.stack}`));
  page.on('dialog', (dialog) => {
    page.faults.push(`a script opened a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('console', (message) => {
    const words = message.text();
    if (/Content Security Policy|Refused to/i.test(words)) page.faults.push(`policy: ${words}`);
  });
  return page;
}

// A test on a page of its own. When it fails, what the page showed is kept.
export function flow(name, work, size = kDesk) {
  test(name, async () => {
    const page = await newPage(size);
    try {
      await work(page);
      assert.deepEqual(page.faults, []);
    } catch (fault) {
      const file = path.join(kScreens, `failed-${name.replace(/\W+/g, '-')}.png`);
      await page.screenshot({ path: file });
      const alerts = await page.getByRole('alert').allTextContents();
      console.log(`the page showed ${file}`, alerts, page.faults);
      throw fault;
    } finally {
      await page.close();
    }
  });
}

const clickLogIn = (_, page) => page.getByRole('button', { name: 'Log in' }).click();

export async function logIn(page, user = 'default', password = '', submit = clickLogIn) {
  await context.clearCookies();
  await page.goto(`${kOrigin}/console`);
  await page.getByLabel('User').fill(user);
  await page.getByLabel('Password').fill(password);
  await submit(page.getByLabel('Password'), page);
  await page.getByRole('button', { name: 'Log out' }).waitFor();
}

// Opens a place of the console by its address.
export const openPlace = (page, place) => page.goto(`${kOrigin}/console#/${place}`);

export const openKey = (page, key) => openPlace(page, `browser?db=0&key=${encodeURIComponent(`s${key}`)}`);

export const region = (page, name) => page.getByRole('region', { name, exact: true });

export const button = (place, name) => place.getByRole('button', { name, exact: true });

// Presses a button of the dialog, which closes by it.
export async function answer(page, name) {
  await button(page.getByRole('dialog'), name).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

// Waits until what `look` returns is `wanted`: for what is asked beside the page.
export async function until(look, wanted) {
  const end = performance.now() + kPatience;
  let seen = await look();
  while (JSON.stringify(seen) !== JSON.stringify(wanted) && performance.now() < end) {
    await new Promise((then) => setTimeout(then, 20));
    seen = await look();
  }
  assert.deepEqual(seen, wanted);
}

export async function show(page, view) {
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: view }).click();
  await page.getByRole('heading', { level: 1, name: view }).waitFor();
}
