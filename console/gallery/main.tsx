import { createRoot } from 'react-dom/client'
import { applyTheme } from '@/api/preferences.ts'
import { loadTexts } from '@/i18n/texts.ts'
import { Gallery } from './gallery.tsx'

/** All components with examples, for development and their tests. Not part of the console. */
applyTheme()
await loadTexts(navigator.languages)
const root = document.getElementById('root')
if (root) createRoot(root).render(<Gallery />)
