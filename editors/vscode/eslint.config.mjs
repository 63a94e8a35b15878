import tseslint from 'typescript-eslint';

export default tseslint.config(
  ...tseslint.configs.strictTypeChecked,
  { languageOptions: { parserOptions: { project: ['./tsconfig.json', './src/webview/tsconfig.json'] } } },
  {
    rules: {
      // The caller knows the types of settings, messages and elements.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
       '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
);
