// Light, dark, or as the system says. Style sheets read data-theme; charts ask again when it changes.
import { useEffect, useState } from 'preact/hooks';

export type Theme = 'system' | 'light' | 'dark';

const kName = 'mayfly-theme';
const changed = new EventTarget();
const system = window.matchMedia('(prefers-color-scheme: dark)');

function stored(): Theme {
  try {
    const value = localStorage.getItem(kName);
    return value === 'light' || value === 'dark' ? value : 'system';
  } catch {
    return 'system'; // A browser that keeps nothing.
  }
}

export function keepTheme(theme: Theme = stored()): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(kName, theme);
  } catch {
    // It holds until the page is closed.
  }
  changed.dispatchEvent(new Event('change'));
}

const shown = (): 'light' | 'dark' => {
  const theme = document.documentElement.dataset.theme;
  return theme === 'dark' || (theme !== 'light' && system.matches) ? 'dark' : 'light';
};

// What is shown now, and again when that changes.
export function useShownTheme(): 'light' | 'dark' {
  const [theme, setTheme] = useState(shown);
  useEffect(() => {
    const look = () => setTheme(shown());
    changed.addEventListener('change', look);
    system.addEventListener('change', look);
    return () => {
      changed.removeEventListener('change', look);
      system.removeEventListener('change', look);
    };
  }, []);
  return theme;
}
