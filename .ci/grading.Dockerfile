# Grades /submissions in a container: see notebooks/INSTRUCTORS.md. Build untested.
FROM python:3.12-slim
WORKDIR /course
COPY . .
RUN pip install --no-cache-dir torch==2.13.0 --index-url https://download.pytorch.org/whl/cpu \
 && pip install --no-cache-dir -r requirements.txt \
 && chmod -R a+rX .
ENV HOME=/tmp
USER 1000:1000
ENTRYPOINT ["sbert-lab", "grade", "/submissions"]
