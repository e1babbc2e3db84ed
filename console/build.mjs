// Builds the page into static files: index.html, assets/NAME-HASH.* and third-party-notices.txt, which the server embeds.
// The same sources give the same bytes, in whatever folder.
//   node build.mjs [--outDir=DIR] [--docs=DIR]      By default dist/, and docs/ of the folders above.
// The meaning of settings is read from docs/settings.md, which a test keeps equal to the server's table.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { parseSettings } from './settings_page.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const option = (name, otherwise) =>
  path.resolve(process.argv.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3) ?? otherwise);
const out = option('outDir', path.join(here, 'dist'));
const docs = option('docs', docsAbove(here));

// The docs of the source tree, of which this folder, or a copy of it that is built elsewhere in the tree, is a part.
function docsAbove(folder) {
  const above = path.dirname(folder);
  if (existsSync(path.join(folder, 'docs/settings.md')) || above === folder) return path.join(folder, 'docs');
  return docsAbove(above);
}

// import settings from 'docs:settings'
const settingsOfDocs = {
  name: 'docs',
  setup(plugin) {
    plugin.onResolve({ filter: /^docs:/ }, ({ path: name }) => ({ path: name, namespace: 'docs' }));
    plugin.onLoad({ filter: /^docs:settings$/, namespace: 'docs' }, () => ({
      contents: JSON.stringify(parseSettings(readFileSync(path.join(docs, 'settings.md'), 'utf8'))),
      loader: 'json',
    }));
  },
};

rmSync(path.join(out, 'assets'), { recursive: true, force: true });
mkdirSync(path.join(out, 'assets'), { recursive: true });
const built = await build({
  absWorkingDir: here,
  entryPoints: { console: 'src/main.tsx' },
  outdir: path.join(out, 'assets'),
  entryNames: '[name]-[hash]',
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  preserveSymlinks: true, // Names depend on paths: those within the folder are the same everywhere.
  metafile: true,
  plugins: [settingsOfDocs],
  logLevel: 'warning',
});

const icon = readFileSync(path.join(here, 'src/icon.svg'));
const iconName = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`;
cpSync(path.join(here, 'src/icon.svg'), path.join(out, 'assets', iconName));

const names = Object.keys(built.metafile.outputs).map((name) => path.basename(name));
const page = readFileSync(path.join(here, 'src/index.html'), 'utf8')
  .replace(
    'SCRIPT',
    names.find((name) => name.endsWith('.js')),
  )
  .replace(
    'STYLE',
    names.find((name) => name.endsWith('.css')),
  )
  .replace('ICON', iconName);
writeFileSync(path.join(out, 'index.html'), page);

// The packages that are in the bundle, by their folders, each with the license that came with it.
function notices(inputs) {
  const folders = new Map();
  for (const input of inputs) {
    const [folder, name] = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input) ?? [];
    if (folder) folders.set(name, path.resolve(here, folder));
  }
  const parts = [...folders.keys()].sort().map((name) => {
    const { version, license } = JSON.parse(readFileSync(path.join(folders.get(name), 'package.json'), 'utf8'));
    const text = readFileSync(path.join(folders.get(name), 'LICENSE'), 'utf8').trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  const head = 'The console of mayfly contains these packages, in the form in which their builds left them.\n';
  return [head, ...parts].join(`\n${'-'.repeat(80)}\n\n`);
}
writeFileSync(path.join(out, 'third-party-notices.txt'), notices(Object.keys(built.metafile.inputs)));
