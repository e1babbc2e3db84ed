// One browser for all tests of a program, and pages of the console in it. A page that runs into an error of its script,
// or into the content security policy, fails its test.
import assert from 'node:assert/strict';
import { mkdtempSync, mkdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { chromium } from 'playwright-core';

export const kOrigin = `http://127.0.0.1:${process.env.MAYFLY_HTTP_PORT}`;
export const kScreens = path.resolve('screens');

const kDesk = { width: 1280, height: 900 };

let context;
let profile;

export async function openBrowser() {
  profile = mkdtempSync(path.join(os.tmpdir(), 'mayfly-browser-'));
  mkdirSync(kScreens, { recursive: true });
  context = await chromium.launchPersistentContext(profile, {
    executablePath: '/usr/bin/chromium',
    headless: true,
    viewport: kDesk,
    acceptDownloads: true,
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
  context.setDefaultTimeout(10_000);
}

export async function closeBrowser() {
  await context.close();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
}

// A page of the browser whose faults are collected in `page.faults`.
async function newPage(size) {
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

export async function logIn(page, user = 'default', password = '') {
  await context.clearCookies();
  await page.goto(`${kOrigin}/console`);
  await page.getByLabel('User').fill(user);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Log out' }).waitFor();
}

export async function show(page, view) {
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: view }).click();
  await page.getByRole('heading', { level: 1, name: view }).waitFor();
}
