// Dark or light: as the system has it, unless the user chose.
import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';
const THEME_KEY = 'shelfmark.theme';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

export const theme = signal<Theme>(THEMES.find(each => each === localStorage.getItem(THEME_KEY)) ?? 'system');

effect(() => {
  document.documentElement.dataset.theme = theme.value;
  localStorage.setItem(THEME_KEY, theme.value);
});

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
}
