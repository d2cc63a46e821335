// A program that keeps secrets with QtKeychain: qt-keychain write|read|delete SERVICE KEY. A secret is read from stdin or
// printed, without a newline. The status of a failure is QtKeychain's error.

#include <QCoreApplication>
#include <QFile>
#include <cstdio>
#include <qt5keychain/keychain.h>

using namespace QKeychain;

static int done(QCoreApplication &application, Job &job) {
  job.setAutoDelete(false);
  job.setInsecureFallback(false);
  QObject::connect(&job, &Job::finished, &application, &QCoreApplication::quit);
  job.start();
  application.exec();
  if (job.error() != NoError) {
    std::fprintf(stderr, "qt-keychain: %s\n", qPrintable(job.errorString()));
  }
  return job.error();
}

static QByteArray standardInput() {
  QFile file;
  file.open(stdin, QIODevice::ReadOnly);
  return file.readAll();
}

int main(int count, char **arguments) {
  QCoreApplication application(count, arguments);
  const QStringList words = application.arguments();
  if (words.size() != 4) {
    return 64;
  }
  const QString operation = words[1], service = words[2], key = words[3];
  if (operation == "write") {
    WritePasswordJob job(service);
    job.setKey(key);
    job.setTextData(QString::fromUtf8(standardInput()));
    return done(application, job);
  }
  if (operation == "read") {
    ReadPasswordJob job(service);
    job.setKey(key);
    const int result = done(application, job);
    const QByteArray secret = job.textData().toUtf8();
    std::fwrite(secret.constData(), 1, secret.size(), stdout);
    return result;
  }
  if (operation == "delete") {
    DeletePasswordJob job(service);
    job.setKey(key);
    return done(application, job);
  }
  return 64;
}
