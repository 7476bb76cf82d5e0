//! Endless answers: streams of notifications. Each ends with its login or its token.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::SystemTime;

use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::sync::watch;

use super::answers::Answer;

/// The validity of a caller's token or login.
#[derive(Default)]
pub(super) struct Validity {
    /// The time of expiry, if there is one.
    pub until: Option<SystemTime>,
    /// The sender of a browser's login, which is dropped at its end.
    pub login: Option<watch::Receiver<()>>,
}

impl Validity {
    async fn over(self) {
        let expired = async {
            match self.until.map(|until| until.duration_since(SystemTime::now()).unwrap_or_default()) {
                Some(left) => tokio::time::sleep(left).await,
                None => std::future::pending().await,
            }
        };
        let ended = async {
            match self.login {
                Some(mut login) => while login.changed().await.is_ok() {},
                None => std::future::pending().await,
            }
        };
        tokio::select! { () = expired => {}, () = ended => {} }
    }

    /// The answer, which ends at any point when the login or token is no longer valid.
    pub fn limit(self, answer: Answer) -> Answer {
        answer.map(|body| Limited { body, over: Box::pin(self.over()) }.boxed())
    }
}

struct Limited {
    body: BoxBody<Bytes, Infallible>,
    over: Pin<Box<dyn Future<Output = ()> + Send + Sync>>,
}

impl Body for Limited {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.over.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(None),
            Poll::Pending => Pin::new(&mut self.body).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
