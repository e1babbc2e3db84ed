declare module 'docs:settings' {
  const settings: Record<string, { initial: string; values: string; when: string; meaning: string }>;
  export default settings;
}
declare module '*.css';
