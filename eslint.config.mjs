import js from '@eslint/js'
import globals from 'globals'
import tseslint from 'typescript-eslint'

export default tseslint.config(
  { ignores: ['**/dist/**', '**/.tap/**'] },
  js.configs.recommended,
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: { globals: globals.node },
  },
  {
    files: ['packages/admin/page/*.js'],
    languageOptions: { globals: globals.browser },
  },
  {
    files: ['packages/*/src/**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Ids, milliseconds and counts go into messages; String() around each adds nothing.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // What a provider or a custom leg hands over is only promised by its type.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      // A callback may hand on what a void function gives back.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['packages/*/test/**/*.ts', 'test/**/*.ts', 'examples/**/*.ts'],
    extends: [...tseslint.configs.recommended],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
)
