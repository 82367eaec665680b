import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { applyTheme } from '@/api/preferences.ts'
import { cache } from '@/api/queries.ts'
import { speak } from '@/i18n/texts.ts'
import { Router } from '@/routes/router.ts'
import { Console } from '@/shell/app.tsx'
import icon from './icon.svg'

applyTheme()
await speak(navigator.languages)
const root = document.getElementById('root')
if (root && icon)
  createRoot(root).render(
    <QueryClientProvider client={cache}>
      <Router>
        <Console />
      </Router>
    </QueryClientProvider>,
  )
