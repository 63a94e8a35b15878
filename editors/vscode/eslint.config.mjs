import tseslint from 'typescript-eslint';

export default tseslint.config(
  ...tseslint.configs.strictTypeChecked,
  { languageOptions: { parserOptions: { project: ['./tsconfig.json', './src/webview/tsconfig.json'] } } },
  { rules: { '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }] } },
);
