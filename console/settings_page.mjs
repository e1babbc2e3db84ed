// Reads docs/settings.md, which the server's table of settings generates: name, default, values, when, meaning.
// A page of another form is an error, so that the console cannot silently lose the meanings.

const words = (cell) => cell.replaceAll('`', '').replaceAll('\\|', '|').trim();

export function parseSettings(page) {
  const settings = {};
  let withoutEffect = false;
  for (const line of page.split('\n')) {
    if (line.startsWith('## Known, without effect')) withoutEffect = true;
    if (!line.startsWith('| `')) continue;
    const cells = line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map(words);
    const [name, initial] = cells;
    if (withoutEffect) {
      settings[name] = { initial, values: '', when: '', meaning: `No effect: ${cells[2]}` };
    } else {
      settings[name] = { initial, values: cells[2], when: cells[3], meaning: cells[4] };
    }
  }
  if (!settings.port?.meaning || !settings['http-port']?.when) {
    throw new Error('docs/settings.md no longer has the columns setting, default, values, when, what it means');
  }
  return settings;
}
