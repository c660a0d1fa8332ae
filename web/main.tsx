import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { apiQuery } from './api/query.ts'
import { App } from './app/App.tsx'
import { queryClient } from './app/query-client.ts'
import { startLocale } from './i18n/locale.ts'
import { router } from './router.ts'
import './styles/index.css'

async function start() {
  const root = document.getElementById('root')
  if (!root) throw new Error('index.html has no #root')
  // asked for beside the texts, so that the first paint knows who it is for
  if (location.pathname !== '/signed-out') void queryClient.prefetchQuery(apiQuery('GET /session', {}))
  // the page's own chunk comes while the texts do
  void router.load()
  await startLocale()
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}

void start()
