import tseslint from 'typescript-eslint';

export default tseslint.config(
  ...tseslint.configs.strictTypeChecked,
  { languageOptions: { parserOptions: { project: ['./tsconfig.json', './src/webview/tsconfig.json'] } } },
  {
    rules: {
      // Settings, messages and elements have the type that the caller knows.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
       '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
);
